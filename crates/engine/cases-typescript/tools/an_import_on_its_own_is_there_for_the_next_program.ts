// expect: value null
// servers: demo client.ts
// freeze: true
import { echo } from "servers/demo";
import * as demo from "servers/demo";
// --- next
// expect: value [{"text": "a"}, "function"]
// servers: demo client.ts
[await echo({ text: "a" }), typeof demo.echo]
