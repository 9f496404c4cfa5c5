// expect: value ["lamp", "door"]
// servers: demo client.ts
import * as demo from "servers/demo";
const { devices } = await demo.getDevices();
devices.map((device: { name: string }) => device.name)
