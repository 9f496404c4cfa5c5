# expect: value true
import asyncio

try:
    await asyncio.open_connection("127.0.0.1", 80)
    return False
except Exception:
    return True
