# expect: value [["12", "7"], 1, "b"]
# freeze: true
import re

from tidegate import call

pattern = re.compile(r"\d+")
iterator = iter([0, 1, 2])
next(iterator)
view = memoryview(bytearray(b"abc"))[1:]
await call("later")
[pattern.findall("12 and 7"), next(iterator), chr(view[0])]
