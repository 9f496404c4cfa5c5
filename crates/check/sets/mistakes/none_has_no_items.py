# expect: certain-crash 4
numbers = [3, 1, 2]
ordered = numbers.sort()
print(ordered[0])
