# expect: certain-crash 3
numbers = map(int, "1 2".split())
print(numbers[0])
