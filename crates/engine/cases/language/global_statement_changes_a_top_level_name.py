# expect: value 3
count = 0


def bump():
    global count
    count += 1


for _ in range(3):
    bump()
count
