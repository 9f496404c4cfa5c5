# expect: certain-crash 5
import asyncio

waiting = asyncio.Queue()
await waiting.push(1)
