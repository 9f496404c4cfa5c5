# expect: missing-argument 5
from servers.smart_home import set_temperature

room = "thermostat-" + "kitchen"
done = await set_temperature(room)
print(done["previous"])
