// said: `[...new Set(values)]` has each once
// value: true
import { get_devices } from "servers/data";
const found = await get_devices();
const rooms = found.devices.map(device => device.room).unique();
return rooms.length < 99;
// mended:
import { get_devices } from "servers/data";
const found = await get_devices();
const rooms = [...new Set(found.devices.map(device => device.room))];
return rooms.length < 99;
