# expect: value null
# stdout: "no newline"
print("no newline", end="")
