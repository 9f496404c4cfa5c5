from typing import List, Optional


def longest_run(values: List[float]) -> Optional[List[float]]:
    if not values:
        return None
    best = current = [values[0]]
    for value in values[1:]:
        current = current + [value] if value > current[-1] else [value]
        if len(current) > len(best):
            best = current
    return best


assert longest_run([]) is None
longest_run([3, 1, 2, 5, 4])
