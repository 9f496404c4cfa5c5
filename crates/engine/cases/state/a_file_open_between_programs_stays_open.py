# expect: value 5
# freeze: true
handle = open("open.bin", "w+b", buffering=0)
handle.write(b"first")
# --- next
# expect: value "firstsecond"
handle.write(b"second")
handle.seek(0)
handle.read().decode()
# --- next
# expect: value [true, "firstsecond"]
handle.close()
[handle.closed, open("open.bin").read()]
