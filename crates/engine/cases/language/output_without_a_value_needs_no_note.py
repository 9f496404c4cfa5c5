# expect: value null
# stdout: "hello\n"
print("hello")
