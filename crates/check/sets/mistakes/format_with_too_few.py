# expect: certain-crash 3
name = "a"
print("{} is {}".format(name))
