# expect: undefined-name 6
try:
    int("x")
except ValueError as error:
    print("no number")
print(error)
