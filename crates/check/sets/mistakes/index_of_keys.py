# expect: certain-crash 3
ages = {"a": 1}
print(ages.keys()[0])
