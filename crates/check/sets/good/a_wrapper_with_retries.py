import asyncio
from servers.forge import add_comment, search_code


async def with_retries(call, *args, attempts=3, **kwargs):
    for attempt in range(attempts):
        try:
            return await call(*args, **kwargs)
        except ToolError:
            if attempt == attempts - 1:
                raise
            await asyncio.sleep(0.1 * 2 ** attempt)


hits = await with_retries(search_code, query="TODO", limit=20)
for hit in hits["matches"]:
    await with_retries(add_comment, "acme", hit["repository"], 1, f"see {hit['path']}:{hit['line']}")
