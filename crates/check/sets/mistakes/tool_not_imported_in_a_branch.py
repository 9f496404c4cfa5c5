# expect: undefined-name 6
from servers.weather import current

now = await current(city="Oslo")
if now["temperature"] < 0:
    await set_temperature(device_id="t-1", celsius=21)
