# expect: limit output
# limits: {"output_bytes": 1000}
print("x" * 2000)
