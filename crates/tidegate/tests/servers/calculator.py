# expect: [42, ["1", "4", "9", "16"], true]

import asyncio

from servers.calculator import calculate

# Without `await`: it is noticed where the value is used.
answer = calculate("6 * 7")
total = int(answer["result"])

squares = await asyncio.gather(*(calculate(f"{n} ** 2") for n in range(1, 5)))

try:
    await calculate(expression="(1")
    closed = True
except ToolError as error:
    closed = "never closed" not in str(error)

[total, [square["result"] for square in squares], not closed]
