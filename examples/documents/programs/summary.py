# The survey in at most 500 tokens: how it is built, what was seen, what has to be done, where and for how much.
import re
from collections import Counter
from servers.documents import get_document

text = (await get_document(id="survey-2026"))["text"]
sections = re.findall(r"^## (\d+)\. (\w+) Pier$", text, re.M)
found = re.findall(r"^Finding \((\w+)\): the ([\w ]+) of (\w+) Pier needs work for (\d+) EUR\.$", text, re.M)
grades = Counter(grade for grade, *_ in found)
cost = Counter()
for grade, part, pier, euros in found:
    cost[pier] += int(euros)
repairs = Counter(re.findall(r"of (\w+) Pier the [\w ]+ is due for repair", text))
seen = {
    "unchanged": "shows no change since the last visit",
    "without some coating": "has lost some of its coating",
    "weaker than drawn": "carries less than the drawing allows",
    "moved": "moved by a hand's breadth in the winter",
}

def dearest(grade):
    """The findings of a grade as lines, the dearest first."""
    of_it = sorted(((int(euros), pier, part) for given, part, pier, euros in found if given == grade), reverse=True)
    return [f"- {pier} Pier, {part}: {euros:,} EUR" for euros, pier, part in of_it]

"\n".join([
    f"The survey has {len(sections)} sections on {len({pier for _, pier in sections})} piers and {len(text.split()):,} words.",
    "Seen: " + ", ".join(f"{text.count(words):,} {state}" for state, words in seen.items()) + ".",
    f"Findings: {grades['high']} high, {grades['medium']} medium, {grades['low']} low; {sum(cost.values()):,} EUR in all.",
    "By pier: " + "; ".join(f"{pier} {euros:,} EUR, {repairs[pier]} repairs due" for pier, euros in cost.most_common()) + ".",
    "High, the dearest first:",
    *dearest("high"),
    "Medium, the dearest first:",
    *dearest("medium"),
])
