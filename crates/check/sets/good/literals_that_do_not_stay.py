import json
from collections import defaultdict

prices = {"apple": 1}
prices["pear"] = 2
print(prices["pear"])

counts = {}
for word in "a b a".split():
    counts[word] = counts.get(word, 0) + 1
print(counts["a"])

first = second = {"a": 1}
second["b"] = 2
print(first["b"])

options = {"a": 1}
options.update(b=2)
print(options["b"])

merged = {"a": 1}
merged |= {"b": 2}
print(merged["b"])


def fill(target):
    target["b"] = 2


given = {"a": 1}
fill(given)
print(given["b"])

named = {"a": 1}
alias = named
alias["b"] = 2
print(named["b"])

inner = {"a": {"x": 1}}
inner["a"]["y"] = 2
print(inner["a"]["y"])

base = {"b": 1}
spread = {"a": 1, **base}
print(spread["b"])
key = "b"
computed = {"a": 1, key: 2}
print(computed["b"])

maybe = {"a": 1}
try:
    print(maybe["b"])
except KeyError:
    print("none")
if "b" in maybe:
    print(maybe["b"])
print(maybe["b"] if "b" in maybe else None, "b" in maybe and maybe["b"])
print({"a": 1}.get("b"), {1: "x"}[1], {-1: "x"}[-1], {True: "x"}.get(1))

grown = [1]
grown.append(2)
print(grown[1])
longer = [1]
longer += [2]
print(longer[1])
shared = [1]
json.loads("[2]", object_hook=shared.append)
parts = [1, *grown]
print(parts[2], [1, 2][-2], [1, 2][1])
groups = defaultdict(list)
groups["a"].append(1)
print(groups["b"])

if json:
    both = {"a": 1}
else:
    both = {"b": 1}
print(both["a"])


def local():
    both = {"c": 1}
    return both["c"]


print(local())
