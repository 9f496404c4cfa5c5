from math import *

for step in range(2):
    pi += step
try:
    for step in range(2):
        seen += step
except NameError:
    seen = 0
try:
    for step in range(2):
        missing += step
except NameError:
    print("missing")


def counted():
    global runs
    runs += 1


runs = 0
counted()
for word in ["a", "b"]:
    text = text + word if word == "b" else word
if runs > 3:
    for step in range(2):
        never += step
with open("notes.txt", mode="w", encoding="utf-8", newline="") as file:
    file.write("tide")
print(pi, seen, runs, text)
