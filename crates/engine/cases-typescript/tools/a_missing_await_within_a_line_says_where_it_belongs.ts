// expect: raised TypeError: of undefined
// line: 2
// hint: `(await echo(…)).devices.map
// servers: demo client.ts
import { echo } from "servers/demo";
(echo as any) && echo({ devices: [1] }).devices.map((one: any) => one)
