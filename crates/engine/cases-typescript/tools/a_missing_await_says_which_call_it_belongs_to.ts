// expect: raised TypeError: of undefined
// line: 3
// hint: `found` is a promise, and has no fields of what it brings: write `found = await echo({ devices: [1] })`.
// servers: demo client.ts
import { echo } from "servers/demo";
const found: any = echo({ devices: [1] });
found.devices.length
