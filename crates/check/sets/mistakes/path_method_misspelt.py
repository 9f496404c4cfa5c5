# expect: certain-crash 5
from pathlib import Path

path = Path("/tmp/a.txt")
print(path.read_txt())
