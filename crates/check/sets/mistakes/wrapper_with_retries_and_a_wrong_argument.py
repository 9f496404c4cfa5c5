# expect: unknown-argument 12
import asyncio
from servers.warehouse import run_query

async def retry(call, attempts=3, **named):
    for attempt in range(attempts):
        try:
            return await call(**named)
        except TimeoutError:
            await asyncio.sleep(attempt)

result = await run_query(query="select 1", timeout_seconds=30)
print(result["rows"])
