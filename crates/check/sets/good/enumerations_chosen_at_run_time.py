from servers.crm import list_deals
from servers.weather import current

stage = "won" if len("abc") > 2 else "lost"
units = ["metric", "imperial"][0]
print((await list_deals(stage=stage))["deals"], (await current(city="Oslo", units=units))["temperature"])
for each in ("lead", "qualified"):
    print((await list_deals(stage=each.lower()))["deals"])
OPTIONS = {"eu": "metric", "us": "imperial"}
for region in OPTIONS:
    print((await current(city="Oslo", units=OPTIONS[region]))["city"])
