from typing import TYPE_CHECKING

from servers.weather import current

if TYPE_CHECKING:
    from nowhere import Thing


async def kept_for_later():
    return await current(town="Bonn")


if False:
    await current(town="Bonn")
print(await current(town="Bonn")) if False else None
print("done")
