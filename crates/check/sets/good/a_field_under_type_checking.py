from typing import TYPE_CHECKING
from servers.weather import current

answer = await current(city="Oslo")
if TYPE_CHECKING:
    reveal = answer["temp"]
print(answer["temperature"])
