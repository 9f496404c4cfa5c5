# expect: certain-crash 3
value = 3
print(isinstance(value))
