// expect: value {"a": 1}
// freeze: true
// servers: demo client.ts
import { slow } from "servers/demo/slow";
await slow({ a: 1 })
