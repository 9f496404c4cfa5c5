# expect: syntax 3
x = 3
else:
    x = 4
print(x)
