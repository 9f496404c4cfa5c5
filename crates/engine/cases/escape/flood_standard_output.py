# expect: limit output
# limits: {"output_bytes": 100000, "cpu_ms": 5000}
while True:
    print("A" * 1000)
