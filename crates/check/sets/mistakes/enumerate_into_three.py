# expect: certain-crash 2
for at, name, size in enumerate(["a", "b"]):
    print(at, name, size)
