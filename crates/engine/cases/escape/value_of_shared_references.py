# expect: contained
# note: value-bytes
# limits: {"value_bytes": 100000, "cpu_ms": 10000}
laughs = ["ha"]
# A small object that is a million entries long once written out.
for _ in range(20):
    laughs = [laughs, laughs]
laughs
