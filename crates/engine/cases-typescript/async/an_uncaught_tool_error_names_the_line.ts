// expect: raised ToolError: it broke
// line: 3
const a = 1;

await call("fail", { message: "it broke" });
