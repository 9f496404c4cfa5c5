# expect: value [3, "Pair"]
type Pair[T] = tuple[T, T]


def largest[T](items: list[T]) -> T:
    return max(items)


[largest([1, 3, 2]), Pair.__name__]
