# expect: value 50000
# limits: {"workspace_bytes": 100000}
import os

for _ in range(5):
    with open("again", "wb") as file:
        file.write(b"x" * 80_000)
    os.unlink("again")
with open("last", "wb") as file:
    file.write(b"x" * 50_000)
os.path.getsize("last")
