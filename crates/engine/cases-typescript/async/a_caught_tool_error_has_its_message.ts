// expect: value ["ToolError", "no such row", true]
try {
  await call("fail", { message: "no such row" });
} catch (error) {
  result = [error.name, error.message, error instanceof ToolError];
}
