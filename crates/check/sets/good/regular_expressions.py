import re

log = """2026-01-02 ERROR disk full
2026-01-03 INFO all well
2026-01-04 ERROR disk still full"""
pattern = re.compile(r"^(?P<day>\d{4}-\d\d-\d\d) (?P<level>\w+) (?P<text>.*)$", re.M)
errors = [match.groupdict() for match in pattern.finditer(log) if match["level"] == "ERROR"]
first = pattern.search(log)
if first:
    print(first.group("day"))
errors
