# expect: value [1, 2, 3]
# stdout: "done\n"
result = [1, 2, 3]
print("done")
