# expect: undefined-name 3
squares = [number * number for number in range(3)]
print(number)
