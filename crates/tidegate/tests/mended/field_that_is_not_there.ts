// said: `found` is an object with: count, devices; it has no 'items'
// value: 99
import { get_devices } from "servers/data";
const found = await get_devices();
return found.items.length;
// mended:
import { get_devices } from "servers/data";
const found = await get_devices();
return found.devices.length;
