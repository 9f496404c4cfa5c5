# expect: value 5
result = 5
# --- next
# expect: value null
# stdout: "only output\n"
print("only output")
