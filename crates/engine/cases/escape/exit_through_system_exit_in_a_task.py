# expect: raised SystemExit: 5
import asyncio


async def leave():
    raise SystemExit(5)


await asyncio.create_task(leave())
