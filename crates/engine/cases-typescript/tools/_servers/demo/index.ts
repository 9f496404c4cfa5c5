/** A server for tests. */
export { answer } from "./answer.js";
export { createIssue, createIssue as create_issue } from "./createIssue.js";
export { echo } from "./echo.js";
export { fail } from "./fail.js";
export { getDevices, getDevices as get_devices } from "./getDevices.js";
export { slow } from "./slow.js";
