// expect: raised TypeError: of undefined
// line: 3
// hint: `found` is text: "Revenue: 7 EUR"; a text has no field 'revenue'
// servers: demo client.ts
import { answer } from "servers/demo";
const found: any = await answer({ answer: { content: [{ type: "text", text: "Revenue: 7 EUR" }] } });
found.revenue.toFixed(2)
