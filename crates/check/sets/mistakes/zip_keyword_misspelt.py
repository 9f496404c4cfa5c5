# expect: certain-crash 2
print(list(zip([1], [2], strct=True)))
