from servers.crm import list_deals
from servers.weather import current

answer = await current(city="Oslo")
print(answer["temperature"])
answer = await list_deals()
print(answer["deals"])
answer = {"mine": 1}
print(answer["mine"])
