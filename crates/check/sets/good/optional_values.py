import re


def number_in(text):
    match = re.search(r"\d+", text)
    return int(match.group()) if match else None


found = [number_in(text) for text in ("a1", "b", "c22")]
sum(n for n in found if n is not None)
