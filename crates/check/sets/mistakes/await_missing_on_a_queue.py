# expect: missing-await 6
import asyncio

waiting = asyncio.Queue()
await waiting.put({"a": 1})
print(waiting.get()["a"])
