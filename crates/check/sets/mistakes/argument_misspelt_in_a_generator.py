# expect: unknown-argument 7
import asyncio
from servers.smart_home import list_devices, set_light

devices = (await list_devices())["devices"]
lamps = [device["id"] for device in devices if device["kind"] == "light"]
await asyncio.gather(*(set_light(device=lamp, on=False) for lamp in lamps))
