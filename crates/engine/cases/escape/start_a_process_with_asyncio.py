# expect: value true
import asyncio

try:
    await asyncio.create_subprocess_exec("id")
    return False
except Exception:
    return True
