// said: write `await get_devices()`
// value: 99
import { get_devices } from "servers/data";
const found = get_devices();
return found.devices.length;
// mended:
import { get_devices } from "servers/data";
const found = await get_devices();
return found.devices.length;
