# expect: unknown-field 8
from servers.weather import current

now = await current(city="Oslo")
report = f"""
City: {now['city']}
Temperature: {now['temperature']:.1f}
Wind: {now['wind']} m/s
"""
print(report)
