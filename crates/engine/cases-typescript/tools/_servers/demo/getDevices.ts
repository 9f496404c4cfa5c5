import { callMCPTool } from "../client.js";

/** A tool for tests. */
export async function getDevices(input: Record<string, unknown> = {}): Promise<any> {
  return await callMCPTool<any>("demo", "get_devices", input);
}
