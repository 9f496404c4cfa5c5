# expect: raised IndentationError
# line: 2
if True:
print("no")
