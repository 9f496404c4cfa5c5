// expect: raised ToolError: there is no tool
// line: 2
async function load() {
  return await call("unknown_tool", {});
}
await load();
