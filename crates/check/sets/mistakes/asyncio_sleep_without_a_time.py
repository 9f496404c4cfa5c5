# expect: certain-crash 4
import asyncio

await asyncio.sleep()
