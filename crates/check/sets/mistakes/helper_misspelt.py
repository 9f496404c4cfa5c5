# expect: undefined-name 7
def average(values):
    return sum(values) / len(values)


numbers = [3, 5, 8]
print(avrage(numbers))
