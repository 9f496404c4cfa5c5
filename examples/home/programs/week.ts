// A sensor's week, and what happened in it: two calls at the same time.
import { queryDeviceHistory, searchEvents } from "servers/data";

const device_id = "motion_03";
const [{ points }, events] = await Promise.all([
  queryDeviceHistory({ device_id }),
  searchEvents({ event: "motion", device_id }),
]);
return { points: points.length, from: points[0].time, to: points.at(-1).time, motions: events.count };
