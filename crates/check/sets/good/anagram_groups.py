from collections import defaultdict


def groups(words):
    by_letters = defaultdict(list)
    for word in words:
        by_letters["".join(sorted(word))].append(word)
    return sorted([group for group in by_letters.values() if len(group) > 1], key=len, reverse=True)


groups(["arc", "car", "dog", "god", "odg", "x"])
