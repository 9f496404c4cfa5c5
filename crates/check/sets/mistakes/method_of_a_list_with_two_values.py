# expect: certain-crash 3
names = ["a"]
names.append("b", "c")
