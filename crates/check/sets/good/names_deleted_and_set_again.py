value = 5
del value
value = "text"
print(value.upper())
for number in range(3):
    pass
print(number + 1)
