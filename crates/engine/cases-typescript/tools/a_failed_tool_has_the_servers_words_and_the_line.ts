// expect: raised ServerError: it is down
// line: 4
// servers: demo client.ts
import { fail } from "servers/demo";

const before = 1;
await fail({ kind: "ServerError", message: "it is down" });
