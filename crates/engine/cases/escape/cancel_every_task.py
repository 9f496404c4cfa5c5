# expect: raised CancelledError
import asyncio

for task in asyncio.all_tasks():
    task.cancel()
await asyncio.sleep(0)
