# expect: certain-crash 5
import asyncio

lock = asyncio.Lock()
with lock:
    print("inside")
