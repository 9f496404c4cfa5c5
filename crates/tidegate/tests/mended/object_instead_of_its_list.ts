// said: write `found.devices.filter(…)`
// value: true
import { get_devices } from "servers/data";
const found = await get_devices();
return found.filter(device => device.room === "kitchen").length < 99;
// mended:
import { get_devices } from "servers/data";
const found = await get_devices();
return found.devices.filter(device => device.room === "kitchen").length < 99;
