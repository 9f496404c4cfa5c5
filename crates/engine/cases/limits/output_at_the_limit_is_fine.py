# expect: value null
# limits: {"output_bytes": 1000}
# stdout-has: xxxxxxxxxx
print("x" * 999)
