# expect: value null
# stdout: "said\n"
print("said")
if True:
    return
42
