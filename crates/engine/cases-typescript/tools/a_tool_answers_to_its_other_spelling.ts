// expect: value {"server": "demo", "tool": "createIssue", "arguments": {"title": "x"}}
// servers: demo client.ts
import { create_issue } from "servers/demo";
await create_issue({ title: "x" })
