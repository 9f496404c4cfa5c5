# expect: raised ExceptionGroup
import asyncio

from tidegate import call


async def broken():
    await call("fail", message="inside the group")


async with asyncio.TaskGroup() as group:
    group.create_task(broken())
