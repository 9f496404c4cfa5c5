# expect: contained
# stdout: "reached the end\n"
loop = [1]
loop.append(loop)
print("reached the end")
loop
