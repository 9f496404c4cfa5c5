# expect: wrong-value 6
from servers.weather import current

metric = True
units = "celsius" if metric else "fahrenheit"
print((await current(city="Oslo", units=units))["temperature"])
