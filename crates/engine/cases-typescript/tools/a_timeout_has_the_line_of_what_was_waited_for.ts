// expect: raised TimeoutError: nothing after
// line: 2
const x = 1;
await waitUntil(() => false, { every: 0.01, timeout: 0.05 });
// --- next
// expect: raised TimeoutError: late
// servers: demo client.ts
// line: 3
import { fail } from "servers/demo";
const y = 1;
await fail({ message: "late", kind: "TimedOut" });
// --- next
// expect: raised ToolError
// line: 2
const z = 1;
await httpGet("https://example.com/");
