# expect: contained
# limits: {"cpu_ms": 2000, "wall_ms": 5000}
import re

re.compile("(" * 3000 + "a" + ")" * 3000)
