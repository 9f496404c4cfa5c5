# expect: certain-crash 2
print(", ".join("a", "b"))
