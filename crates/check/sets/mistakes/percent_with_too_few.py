# expect: certain-crash 3
name = "a"
print("%s is %s" % (name,))
