# expect: certain-crash 3
value = "a"
print(getattr(value))
