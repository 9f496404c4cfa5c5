# expect: certain-crash 5
import asyncio

lock = asyncio.Lock()
await lock.aquire()
