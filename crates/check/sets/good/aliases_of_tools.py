import servers
from servers import weather

look = weather.current
home = servers.smart_home
first = await look(city="Oslo")
await home.set_light(device_id="lamp-1", on=True, brightness=40, color="#ffaa00")
tools = {"now": weather.current, "later": weather.forecast}
again = await tools["now"](city="Lima")
[first["wind_speed"], again["temperature"]]
