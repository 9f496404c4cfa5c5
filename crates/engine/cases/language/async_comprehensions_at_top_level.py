# expect: value [[0, 2, 4], {"1": 2, "2": 4}, [1, 3]]
from tidegate import call


async def numbers(stop):
    for n in range(stop):
        yield n


doubled = [n * 2 async for n in numbers(3)]
by_key = {str(n): await call("add", a=n, b=n) for n in (1, 2)}
odd = [n async for n in numbers(5) if n % 2]
[doubled, by_key, odd]
