# expect: limit cpu
# limits: {"cpu_ms": 300, "wall_ms": 3000}
import re

re.match(r"(a+)+$", "a" * 40 + "b")
