# expect: value 50000
# limits: {"file_bytes": 50000}
import os

with open("big", "wb") as file:
    file.write(b"x" * 50_000)
os.path.getsize("big")
