from contextlib import asynccontextmanager
from servers.warehouse import run_query

@asynccontextmanager
async def timed(name):
    yield name

async with timed("query") as name:
    print(name, (await run_query(sql="select 1"))["row_count"])
