// A run for whoever reads it: its value for a program, its words for a model.

import { ProgramFailed } from "./errors.js";
import type { ProgramError, Run } from "./models.js";

/** What the program returned; throws `ProgramFailed` if it did not succeed. */
export function valueOf(run: Run): unknown {
  if (!run.success) throw new ProgramFailed(run);
  return run.return_value;
}

/** What a model should read of a run: its value or error, what was printed, and how to go on. */
export function textOf(run: Run): string {
  const parts: string[] = [];
  if (run.error) parts.push(failure(run.error));
  else if (!run.success) parts.push(unfinished(run));
  else if (typeof run.return_value === "string") parts.push(run.return_value);
  else if (run.return_value !== null) parts.push(JSON.stringify(run.return_value));
  for (const name of ["stdout", "stderr"] as const) {
    if (run[name].trim()) parts.push(`${name}:\n${run[name].trimEnd()}`);
  }
  if (run.note) parts.push(`note: ${run.note}`);
  if (run.truncated) {
    const { max_output_tokens, path } = run.truncated;
    parts.push(`cut to ${max_output_tokens} tokens. All of it is in ${path}. Better: filter first, and return less.`);
  }
  parts.push(`session: ${run.session}`);
  return parts.join("\n\n");
}

function failure(error: ProgramError): string {
  // The check's own words have the place of each finding.
  const isCheck = error.type === "CheckError";
  const place = typeof error.line === "number" ? ` at line ${error.line}` : "";
  let text = isCheck ? error.message : `${error.type}${place}: ${error.message}`;
  if (error.source_line && !isCheck) text += `\n    ${error.source_line.trim()}`;
  return error.hint ? `${text}\nhint: ${error.hint}` : text;
}

function unfinished(run: Run): string {
  const waiting = run.waiting;
  if (waiting?.approvals) {
    return `The program waits for somebody to approve ${waiting.approvals} of its calls (${waiting.for.join(", ")}). The run is ${run.run_id}.`;
  }
  return `The program is not over; it is ${run.status}. The run is ${run.run_id}.`;
}
