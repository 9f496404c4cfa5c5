from collections import deque

graph = {"a": ["b", "c"], "b": ["d"], "c": ["d", "e"], "d": ["f"], "e": ["f"], "f": []}


def path(start, goal):
    queue = deque([[start]])
    seen = {start}
    while queue:
        way = queue.popleft()
        if way[-1] == goal:
            return way
        for following in graph[way[-1]]:
            if following not in seen:
                seen.add(following)
                queue.append(way + [following])
    return None


path("a", "f")
