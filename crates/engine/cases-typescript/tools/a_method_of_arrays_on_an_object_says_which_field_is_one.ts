// expect: raised TypeError: not a function
// line: 3
// hint: `found` is an object with: devices, total, which has no method 'filter'; write `found.devices.filter(…)`.
// servers: demo client.ts
import { answer } from "servers/demo";
const found: any = await answer({ answer: { content: [{ type: "text", text: '{"devices": [{"kind": "power"}], "total": 1}' }] } });
found.filter((one: any) => one.kind === "power").length
