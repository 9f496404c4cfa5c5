def average():
    total = count = 0
    value = None
    while True:
        value = yield value
        total += value
        count += 1
        value = total / count

running = average()
next(running)
print(running.send(10), running.send(20))
