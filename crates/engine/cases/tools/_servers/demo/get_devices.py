"""demo.get_devices"""
from typing import TypedDict

from servers import tool


class GetDevicesResultDevicesItem(TypedDict):
    name: str
    on: bool


class GetDevicesResult(TypedDict):
    count: int
    devices: list[GetDevicesResultDevicesItem]


@tool("demo", "get_devices")
async def get_devices() -> GetDevicesResult:
    """Lists the devices.

    Example:
        devices = await get_devices()
    """
    ...


getDevices = get_devices
