import asyncio
import datetime as dt
import io
import json
import re
import textwrap
from collections import Counter, deque

words = ["b", "a"]
words.append("c")
words.insert(0, "z")
words.sort(key=len, reverse=True)
last = deque(words, maxlen=2)
last.rotate()
empty = deque(maxlen=3)
empty.extend(words)
print("a-b".replace("-", "+", 1), "a,b".split(sep=",", maxsplit=1), "x".center(5, "*"), "{} {}".format("a", "b"))
print(dt.timedelta(days=1, hours=2), dt.datetime(2024, 1, 2, hour=3).replace(hour=4, tzinfo=dt.timezone.utc))
print(json.dumps({"a": 1}, indent=2, sort_keys=True, default=str), textwrap.shorten("a b c", width=4, placeholder="…"))
text = io.StringIO("a\nb")
text.seek(0)
print(text.readline(), text.getvalue(), sorted(words, key=str.lower), Counter(a=1).most_common(1))
found = re.match(r"(\w+)", "name", flags=re.IGNORECASE)
if found:
    print(found.group(1), found.span(), found.string)
with open("made.txt", "w", encoding="utf-8") as file:
    file.write("a\n")
    file.writelines(["b\n"])
with open("made.txt", "rb") as file:
    print(file.read(), file.closed)
steps = range(0, 10, 2)
print(steps.start, steps.stop, steps.index(4), int("ff", 16), int("7", base=8), round(1.25, ndigits=1), sum([1], start=2))
print(max(1, 2, key=abs), min([], default=None), str(b"a", "utf-8"), bytes("a", "utf-8"), dict([("a", 1)], b=2))
print(" ".join(words).encode("utf-8", errors="replace"), words.index("a", 0, 9), "abab".count("a", 1), pow(2, 3, mod=5))
await asyncio.sleep(0, result="done")
