// expect: value {"server": "demo", "tool": "createIssue", "arguments": {"title": "x"}}
// servers: demo client.ts
import { createIssue } from "servers/demo";
await createIssue({ title: "x" })
