# expect: certain-crash 4
import os

print(os.path.joined("a", "b"))
