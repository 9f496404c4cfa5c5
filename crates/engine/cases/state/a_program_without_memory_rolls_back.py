# expect: value ["original"]
values = ["original"]
open("note.txt", "w").write("kept")
values
# --- next
# expect: raised MemoryError
# limits: {"memory_mib": 64}
# note: rolled back
values.append("changed")
open("note.txt", "w").write("changed")
blocks = []
while True:
    blocks.append(bytearray(1 << 20))
# --- next
# expect: value [["original"], "kept", 33554432]
# limits: {"memory_mib": 64}
[values, open("note.txt").read(), len(bytearray(32 << 20))]
