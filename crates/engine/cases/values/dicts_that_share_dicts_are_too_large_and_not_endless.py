# expect: contained
# limits: {"value_bytes": 100000, "cpu_ms": 10000}
# note: value-bytes
x = {}
for i in range(30):
    x = {"a": x, "b": x}
x
