# expect: certain-crash 4
from collections import deque

last = deque(max_len=5)
print(last)
