# expect: value "early"
# stdout: "before\n"
print("before")
return "early"
print("after")
