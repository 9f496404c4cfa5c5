# expect: certain-crash 2
print("{name}: {size}".format(name="a"))
