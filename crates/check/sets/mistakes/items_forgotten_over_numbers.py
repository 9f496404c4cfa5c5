# expect: certain-crash 3
names = {1: "one", 2: "two"}
pairs = {number: name for number, name in names}
print(pairs)
