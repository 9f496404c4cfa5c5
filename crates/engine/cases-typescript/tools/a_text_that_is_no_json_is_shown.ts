// expect: raised SyntaxError
// line: 3
// hint: `found` is text: "Revenue: 7 EUR", which is no JSON
// servers: demo client.ts
import { answer } from "servers/demo";
const found: any = await answer({ answer: { content: [{ type: "text", text: "Revenue: 7 EUR" }] } });
JSON.parse(found).revenue
