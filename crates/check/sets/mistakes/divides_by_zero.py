# expect: certain-crash 3
total = 10
print(total / 0)
