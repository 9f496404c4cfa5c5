// expect: value [{"a": [1]}, "plain", [1, 2]]
// servers: demo client.ts
import { answer } from "servers/demo";
const text = (text: string) => ({ content: [{ type: "text", text }] });
[
  await answer({ answer: text('{"a": [1]}') }),
  await answer({ answer: text("plain") }),
  await answer({ answer: { content: [{ type: "text", text: "[1, 2]" }] } }),
]
