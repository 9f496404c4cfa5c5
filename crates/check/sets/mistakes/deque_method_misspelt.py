# expect: certain-crash 5
from collections import deque

last = deque([1, 2, 3])
print(last.pop_left())
