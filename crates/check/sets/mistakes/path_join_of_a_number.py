# expect: certain-crash 5
from pathlib import Path

folder = Path("/tmp")
print(folder / 3)
