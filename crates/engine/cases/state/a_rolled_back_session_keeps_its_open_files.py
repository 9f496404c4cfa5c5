# expect: value 3
handle = open("open.txt", "w+", buffering=1)
handle.write("one")
# --- next
# expect: limit cpu
# limits: {"cpu_ms": 200, "wall_ms": 5000}
handle.write("two")
handle.close()
while True:
    pass
# --- next
# expect: value "onethree"
handle.write("three")
handle.seek(0)
handle.read()
