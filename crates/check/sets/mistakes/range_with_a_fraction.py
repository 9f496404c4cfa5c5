# expect: certain-crash 2
for at in range(0, 1, 0.1):
    print(at)
