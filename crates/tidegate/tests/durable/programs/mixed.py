# Reads, writes that may be repeated and writes that may not, one after another and together.
import asyncio
from servers.desk import book, look, put

seen = []
for at in range(3):
    seen.append((await look(key=f"{name}-{at}"))["key"])
    seen.append((await book(key=f"{name}-{at}"))["key"])
    both = await asyncio.gather(
        book(key=f"{name}-{at}a"), put(key=f"{name}-{at}b"), book(key=f"{name}-{at}c"), look(key=f"{name}-{at}d")
    )
    seen += [one["key"] for one in both]
    await asyncio.sleep(0.02)
len(seen)
