// expect: value [{"a": 1}, {"b": 2}]
// servers: demo client.ts
await Promise.all([callMCPTool("echo", { a: 1 }), callMCPTool("demo", "echo", { b: 2 })])
