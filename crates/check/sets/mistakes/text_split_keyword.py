# expect: certain-crash 3
line = "a;b"
print(line.split(seperator=";"))
