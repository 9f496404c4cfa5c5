import { callMCPTool } from "../client.js";

/** A tool for tests. */
export async function fail(input: Record<string, unknown> = {}): Promise<any> {
  return await callMCPTool<any>("demo", "fail", input);
}
