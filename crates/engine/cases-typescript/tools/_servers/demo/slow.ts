import { callMCPTool } from "../client.js";

/** A tool for tests. */
export async function slow(input: Record<string, unknown> = {}): Promise<any> {
  return await callMCPTool<any>("demo", "slow", input);
}
