// expect: value [{"n": 1}, {"n": 2}]
// freeze: true
// servers: demo client.ts
import { slow } from "servers/demo";
await Promise.all([slow({ n: 1 }), slow({ n: 2 })])
