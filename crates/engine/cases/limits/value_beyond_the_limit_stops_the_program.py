# expect: limit value
# limits: {"value_bytes": 1000}
"x" * 2000
