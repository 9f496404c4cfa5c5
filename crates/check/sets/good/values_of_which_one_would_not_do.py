import time

count = 0
print(7 / max(count, 1))
hits = total = 0
print(hits / max(total, 1))


def pct(n=0):
    return 100 / n


print(pct(4))
step = 0
if time.time() > 1:
    step = 5
print(7 % step)


def head(s=""):
    return s[0]


print(head("abc"))
pair = ()
if time.time() > 1:
    pair = (1, 2)
print(pair[1])
