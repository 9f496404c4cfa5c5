# expect: value [[], []]
import os

bad, escaped = [], []
names = ["a\x00/etc/passwd", "x" * 5000, "é" * 300, "a\nb", "..\\..\\etc\\passwd", "con", ".. ", "...", "%2e%2e/etc/passwd", "", ".", "a/" * 2000]
for name in names:
    try:
        with open(name, "w") as file:
            file.write("mine")
        if open(name).read() != "mine":
            bad.append(name)
    except (OSError, ValueError):
        pass
for name in ("/etc/passwd\x00.txt", "/etc/passwd\x00"):
    try:
        escaped.append(open(name).read())
    except (OSError, ValueError):
        pass
[bad, escaped]
