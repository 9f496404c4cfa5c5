# expect: certain-crash 2
print(len([1], [2]))
