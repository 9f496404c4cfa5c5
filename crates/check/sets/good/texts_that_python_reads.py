import ast
import json
import re

print(json.loads("NaN"), json.loads("[Infinity, -Infinity]"), json.loads(' {"a": 1} '), json.loads("1e999"))
print(json.loads('"\\ud800"').encode("utf-8", "replace"), json.loads('"it\'s"'), json.loads("12"), json.loads("null"))
print(json.loads('{"a": "\n"}', strict=False), ast.literal_eval("{'a': 1}"))
try:
    print(json.loads("{'a': 1}"))
except json.JSONDecodeError as error:
    print(error.msg)
try:
    print(json.loads("no json"))
except ValueError:
    print("none")
try:
    re.compile("(abc")
except re.error as error:
    print(error)
for pattern in ["[(]", r"\(a", "[]a]", "[^]]", "a|", "(|a)", "(?:a)?", "(?P<n>a)(?P=n)", "(a)?(?(1)b|c)", "(?i)a", "a*?", "a*+"]:
    print(re.compile(pattern).pattern)
print(re.compile("[(]"), re.compile(r"\(a"), re.compile("[]a]"), re.compile("[^]]"), re.compile("a|"), re.compile("(|a)"))
print(re.findall("(?P<n>a)(?P=n)", "aa"), re.sub("(a)?(?(1)b|c)", "", "abc"), re.split("[*+?]", "a*b"), re.search("a*+", "aa"))
print(re.compile(r"( a ) # a bracket: (", re.VERBOSE).findall("a"), re.escape("*.py"), re.match(re.escape("*.py"), "*.py"))
