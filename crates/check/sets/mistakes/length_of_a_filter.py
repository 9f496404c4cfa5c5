# expect: certain-crash 2
print(len(filter(None, [1, 0])))
