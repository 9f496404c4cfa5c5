// expect: raised ArgumentError: argument 'data' is a Uint8Array
// line: 2
// servers: demo client.ts
import { echo } from "servers/demo";
await echo({ data: new Uint8Array(2) });
