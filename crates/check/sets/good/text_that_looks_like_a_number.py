from servers.files import write_text
from servers.smart_home import set_light, set_temperature

level = int("40")
await set_light(device_id="l1", on=bool(level), brightness=level)
await set_temperature(device_id="t1", celsius=float("21.5"))
await write_text(path="/x", content=str(level), overwrite=True)
