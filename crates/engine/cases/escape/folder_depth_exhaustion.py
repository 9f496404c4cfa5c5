# expect: raised OSError
# limits: {"cpu_ms": 3000}
import os

for _ in range(100_000):
    os.mkdir("d")
    os.chdir("d")
