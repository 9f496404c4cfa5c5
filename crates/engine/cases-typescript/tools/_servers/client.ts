/** Calls a tool: how it got here and where it goes is not the program's business. */
type Call = (server: string | null, tool: string, input: object) => Promise<unknown>;

declare global {
  var __tidegate_call: Call | undefined;
}

/** Calls `tool` of `server`, both by their own names. */
export async function callMCPTool<Result = any>(server: string, tool: string, input?: object): Promise<Result>;
/** Calls the only tool of that name, `createIssue` or `mcp__github__create_issue`. */
export async function callMCPTool<Result = any>(tool: string, input?: object): Promise<Result>;
export async function callMCPTool<Result>(first: string, second?: string | object, third?: object): Promise<Result> {
  const call = globalThis.__tidegate_call;
  if (call === undefined) {
    throw new Error("tools can only be called from a program that Tidegate runs");
  }
  const result = typeof second === "string"
    ? await call(first, second, third ?? {})
    : await call(null, first, second ?? {});
  return result as Result;
}
