# expect: certain-crash 4
import asyncio

limit = asyncio.Semaphore(count=3)
