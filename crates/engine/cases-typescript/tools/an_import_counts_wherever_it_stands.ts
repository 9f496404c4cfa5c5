// expect: value ["function", {"text": "a"}]
// servers: demo client.ts
const kind = typeof echo;
const told = await echo({ text: "a" });
import { echo } from "servers/demo";
[kind, told]
