# expect: certain-crash 5
import heapq

heap = [3, 1]
heapq.heappush(heap)
