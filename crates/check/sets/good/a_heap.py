import heapq


def smallest_sums(a, b, k):
    heap = [(x + y, x, y) for x in a for y in b]
    heapq.heapify(heap)
    return [heapq.heappop(heap) for _ in range(min(k, len(heap)))]


smallest_sums([1, 7], [2, 4], 3)
