// What goes wrong, as classes a program can catch, and in words for whoever wrote it.

class ToolError extends Error {
  constructor(message, kind = "ToolError", server = null, tool = null) {
    super(message);
    this.kind = kind;
    this.server = server;
    this.tool = tool;
  }
}
class ArgumentError extends ToolError {}
class UnknownTool extends ToolError {}
class ServerError extends ToolError {}
class PolicyError extends ToolError {}
class FileError extends Error {
  constructor(message, code, path) {
    super(message);
    this.code = code;
    this.path = path;
  }
}
class Deadlock extends Error {}
class TimeoutError extends Error {}

const FAILURES = { ToolError, ArgumentError, UnknownTool, ServerError, PolicyError, FileError, TimeoutError };
for (const kind of [...Object.values(FAILURES), Deadlock]) {
  const value = kind.name;
  defineProperty(kind.prototype, "name", { value, writable: true, configurable: true });
}
for (const field of ["kind", "server", "tool"]) {
  ToolError.prototype[field] = null;
}

const KINDS = {
  __proto__: null,
  ArgumentError,
  UnknownTool,
  ServerError,
  NotSent: ServerError,
  NotAnswered: ServerError,
  Denied: PolicyError,
  NotApproved: PolicyError,
  NotAllowed: PolicyError,
  SecretRefused: PolicyError,
  TimedOut: TimeoutError,
};

/** The error for a failed call, from what the host says about it. */
function failure({ kind, message }, server = null, tool = null) {
  return new (KINDS[kind] ?? ToolError)(message, kind, server, tool);
}

function isOutOfMemory(error) {
  return error instanceof InternalError && error.message === "out of memory";
}

// --- where -----------------------------------------------------------------------------

// Texts of programs and modules by the name their frames have: `{text, positions}`.
const sources = new Map();
const KEPT_SOURCES = 50;
const FRAME = /^\s*at (?:(.*?) \()?(.*?)(?::(\d+):(\d+))?\)?$/;
const exec = uncurried(RegExp.prototype.exec);

function remember(name, text, positions) {
  sources.delete(name);
  sources.set(name, { text, positions, table: null });
  if (sources.size > KEPT_SOURCES) {
    sources.delete(sources.keys().next().value);
  }
}

/** Line and column of the user's text for those of the code, as `typescript::Place::find`. */
function placed(source, line, column) {
  source.table ??= source.positions ? parse(source.positions) : [];
  const { table } = source;
  let low = 0;
  let high = table.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const [at, columnAt] = table[middle];
    if (at < line || (at === line && columnAt <= column)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low === 0) {
    return null;
  }
  const [at, , lineOf, columnOf] = table[low - 1];
  return { line: lineOf, column: at === line ? columnOf : 1 };
}

/** What was written; a module's file is read only now. */
function textOfSource(source, name) {
  if (source.text === null) {
    const read = host.readText(name);
    source.text = typeof read === "string" ? read : "";
  }
  return source.text;
}

/** The frames of an error that lie in texts of the user's, the innermost first. */
function frames(error) {
  let stack;
  try {
    stack = error.stack;
  } catch {
    return [];
  }
  if (typeof stack !== "string") {
    return [];
  }
  const found = [];
  for (const one of stack.slice(0, 20_000).split("\n")) {
    const match = exec(FRAME, one);
    const source = match && sources.get(match[2]);
    if (!source || match[3] === undefined) {
      continue;
    }
    const place = placed(source, Number(match[3]), Number(match[4]));
    const name = match[1] && !match[1].startsWith("<") ? match[1] : "";
    // The constructor of a class of the program's own is not where it was thrown.
    if (place !== null && !(found.length === 0 && name !== "" && name === error.constructor?.name)) {
      found.push({ file: match[2], name, text: textOfSource(source, match[2]), ...place });
    }
  }
  return found;
}

/** The same as text. */
function places(error) {
  return frames(error).slice(0, 10).map(({ file, name, line, column }) => {
    const place = `${file}:${line}:${column}`;
    return name ? `${name} (${place})` : place;
  });
}

function lineOf(text, line) {
  return (text.split("\n")[line - 1] ?? "").trimEnd().slice(0, 500);
}

// --- in words --------------------------------------------------------------------------

const LONGEST_MESSAGE = 250_000;
const MOST_FRAMES = 20;

/** What the host is told of an error: its type and words, its place, and what to try. */
function describe(error, program) {
  const made = { type: typeOf(error), message: messageOf(error) };
  const found = error instanceof Error ? frames(error) : [];
  const at = found.find(({ file }) => file === program) ?? found[0];
  if (at !== undefined) {
    made.line = at.line;
    made.column = at.column;
    const text = lineOf(at.text, at.line);
    if (text !== "") {
      made.source_line = text;
    }
  }
  made.traceback = traced(error, found, 0).slice(0, 8000);
  // What is known of variables holds for the program itself, not for a file that it imported.
  const hint = hintFor(error, made, at === found[0] && at?.file === program ? at : undefined);
  if (hint !== null) {
    made.hint = hint;
  }
  return made;
}

function typeOf(error) {
  try {
    if (error instanceof Error) {
      const { name } = error;
      const own = error.constructor?.name;
      // A class of the program's own that did not set its name is known by its own.
      const known = name === "Error" && typeof own === "string" && own !== "" ? own : name;
      return toWellFormed(String(known)).slice(0, 200) || "Error";
    }
    return error !== null && typeof error === "object" ? "Object" : "Error";
  } catch {
    return "Error";
  }
}

function messageOf(error) {
  let text;
  try {
    if (error instanceof Error) {
      text = String(error.message);
      if (error instanceof AggregateError && isArray(error.errors)) {
        const told = error.errors.slice(0, 3).map(one => `${typeOf(one)}: ${messageOf(one).slice(0, 300)}`);
        text = [text || "several promises failed", ...told].join("; ");
      }
    } else {
      text = inspect(error);
    }
  } catch (again) {
    text = `(could not be described: ${again instanceof Error ? "its message fails" : "not an error"})`;
  }
  text = toWellFormed(text);
  return text.length <= LONGEST_MESSAGE ? text : `${text.slice(0, LONGEST_MESSAGE - 40)}... [${text.length} characters]`;
}

function traced(error, found, nesting) {
  const lines = [`${typeOf(error)}: ${messageOf(error).slice(0, 2000)}`];
  for (const { file, name, text, line, column } of found.slice(0, MOST_FRAMES)) {
    lines.push(`    at ${name ? `${name} ` : ""}(${file}:${line}:${column})`);
    const source = lineOf(text, line).trim();
    if (source !== "") {
      lines.push(`        ${source}`);
    }
  }
  let cause;
  try {
    cause = error instanceof Error ? error.cause : undefined;
  } catch {
    cause = undefined;
  }
  if (cause instanceof Error && nesting < 4) {
    lines.push(`  caused by ${traced(cause, frames(cause), nesting + 1)}`);
  }
  return lines.join("\n");
}
