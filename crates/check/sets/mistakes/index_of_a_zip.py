# expect: certain-crash 3
pairs = zip([1], [2])
print(pairs[0])
