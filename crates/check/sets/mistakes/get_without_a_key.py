# expect: certain-crash 3
seen = {"a": 1}
print(seen.get())
