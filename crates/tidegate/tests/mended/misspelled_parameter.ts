// said: did you mean: room
// value: true
import { get_devices } from "servers/data";
const found = await get_devices({ rooom: "kitchen" });
return found.count < 99;
// mended:
import { get_devices } from "servers/data";
const found = await get_devices({ room: "kitchen" });
return found.count < 99;
