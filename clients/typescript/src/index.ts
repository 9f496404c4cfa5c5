// A client for Tidegate: programs in a sandbox, with the tools of MCP servers as functions.

export { Tidegate } from "./client.js";
export type { AskEvent } from "./asking.js";
export { Chat, type History } from "./chat.js";
export * from "./errors.js";
export type { RunEvent } from "./events.js";
export type * as models from "./models.js";
export type { Asking } from "./parts.js";
export { textOf, valueOf } from "./shown.js";
export { Events, Steps, type Options } from "./transport.js";
