# expect: value "page"
# freeze: true
import asyncio

from tidegate import call


async def main():
    return (await call("later", name="page"))["name"]


asyncio.run(main())
