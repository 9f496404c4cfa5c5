# expect: value [{"a": 1}, "{\"a\":1}", 5, [1, 2]]
# servers: demo
from typing import TypedDict


class Found(TypedDict):
    a: int


async def answer(value, kind):
    return await call_mcp_tool("answer", {"answer": {"v": value}}, kind)


found = [await answer({"a": 1}, Found), await answer({"a": 1}, str), await answer("5", int), await answer([1, 2], list[int])]
found
