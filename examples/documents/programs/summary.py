# The survey in about 500 tokens: how it is built, what is grave, where and for how much.
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
grave = sorted(((int(euros), pier, part) for grade, part, pier, euros in found if grade == "high"), reverse=True)
"\n".join([
    f"The survey has {len(sections)} sections on {len({pier for _, pier in sections})} piers and {len(text.split()):,} words.",
    f"Findings: {grades['high']} high, {grades['medium']} medium, {grades['low']} low; {sum(cost.values()):,} EUR in all.",
    "By pier: " + "; ".join(f"{pier} {euros:,} EUR, {repairs[pier]} repairs due" for pier, euros in cost.most_common()) + ".",
    "High, the dearest first:",
    *(f"- {pier} Pier, {part}: {euros:,} EUR" for euros, pier, part in grave),
])
