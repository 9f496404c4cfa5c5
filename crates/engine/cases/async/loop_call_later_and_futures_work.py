# expect: value ["soon", "later"]
# freeze: true
import asyncio

loop = asyncio.get_running_loop()
done = loop.create_future()
log = []
loop.call_soon(log.append, "soon")
loop.call_later(0.02, done.set_result, "later")
log.append(await done)
log
