// A client for Tidegate: programs in a sandbox, with the tools of MCP servers as functions.

import { ProgramFailed } from "./errors.js";
import type { Run } from "./models.js";

export { Tidegate, type Asking } from "./client.js";
export * from "./errors.js";
export type { RunEvent } from "./events.js";
export type * as models from "./models.js";
export { Events, type Options } from "./transport.js";

/** What the program returned; throws `ProgramFailed` if it did not succeed. */
export function valueOf(run: Run): unknown {
  if (!run.success) throw new ProgramFailed(run);
  return run.return_value;
}
