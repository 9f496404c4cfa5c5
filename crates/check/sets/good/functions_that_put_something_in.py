import bisect
import heapq
import operator
import random

heap = list(range(3))
heapq.heappush(heap, 2.5)
heap.sort()
pair = "a b".split()
operator.setitem(pair, 0, 5)
print(pair[0] + 1)
bisect.insort(heap, 1)
first = random.choice(["x"] + [pair[0]])
queue = list("ab")
queue[0] = None
print(queue.pop(0) is None, first)
top = heapq.heappop(heap)
print(top + 1)
