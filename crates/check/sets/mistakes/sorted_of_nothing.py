# expect: certain-crash 2
print(sorted(key=len))
