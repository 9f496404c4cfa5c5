# expect: certain-crash 3
numbers = [1, 2, 3]
print(", ".join(numbers))
