# expect: certain-crash 3
name = "ada byron"
print(name.titlecase())
