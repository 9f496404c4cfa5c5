// said: There is no lodash here. Object.groupBy
// value: 99
import _ from "lodash";
import { get_devices } from "servers/data";
const found = await get_devices();
return Object.values(_.groupBy(found.devices, "room")).flat().length;
// mended:
import { get_devices } from "servers/data";
const found = await get_devices();
return Object.values(Object.groupBy(found.devices, device => device.room)).flat().length;
