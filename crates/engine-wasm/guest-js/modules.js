// What programs import: servers, skills, files of the workspace, and `tidegate` itself.
//
// The host reads a file and makes a function of it; this runs it once and keeps what it exports.

class ImportError extends Error {
  constructor(message, hint = null) {
    super(message);
    if (hint !== null) {
      this.tidegateHint = hint;
    }
  }
}
defineProperty(ImportError.prototype, "name", { value: "ImportError", writable: true, configurable: true });

const builtIn = { __proto__: null };
const modules = new Map();
const ROOTS = ["servers", "skills", "results", "workspace"];
const MOST_LISTED = 20;

/** What a text is given as `$tidegate`. */
class Unit {
  constructor(path) {
    this.path = path;
    this.meta = { __proto__: null, url: `file://${path}` };
    this.published = { __proto__: null };
    this.lastOf = null;
    this.exported = null;
  }

  /** A program's variables, as pairs of functions. */
  names(pairs) {
    this.published = pairs;
  }

  /** Which variable says what the value is, if nothing else does. */
  last(read, isFree) {
    this.lastOf = read;
    if (isFree) {
      setGlobal("result", undefined);
    }
  }

  /** The default export. */
  value(value) {
    this.exported = { value };
  }

  exports(readers) {
    this.readers = readers;
    for (const name of keysOf(readers)) {
      defineProperty(this.namespace, name, { get: readers[name], enumerable: true, configurable: true });
    }
  }

  lazy(specifier, names) {
    for (const name of this.namespace === undefined ? [] : keysOf(names)) {
      const get = () => member(needed(specifier, this.path), names[name], specifier);
      defineProperty(this.namespace, name, { get, enumerable: true, configurable: true });
    }
  }

  all(specifier, name) {
    const found = needed(specifier, this.path);
    if (this.namespace === undefined) {
      return;
    }
    if (name !== null) {
      defineProperty(this.namespace, name, { value: found, enumerable: true, configurable: true });
      return;
    }
    for (const one of keysOf(found)) {
      if (one !== "default" && !(one in this.namespace)) {
        defineProperty(this.namespace, one, { get: () => found[one], enumerable: true, configurable: true });
      }
    }
  }

  async load(specifier, wanted = []) {
    const module = started(specifier, this.path);
    const found = module.promise === null ? module.namespace : await module.promise;
    return checked(found, wanted, specifier, module.path);
  }

  need(specifier, wanted = []) {
    const module = wanted.length > 0 ? started(specifier, this.path) : undefined;
    return checked(needed(specifier, this.path), wanted, specifier, module?.path);
  }

  async dynamic(specifier) {
    return await this.load(String(specifier));
  }
}

function checked(namespace, wanted, specifier, path) {
  for (const name of wanted) {
    if (!(name in namespace) && !isType(name, path)) {
      member(namespace, name, specifier);
    }
  }
  return namespace;
}

/** Whether a file exports a type of that name: of what is imported and not used, nobody knows which it is. */
function isType(name, path) {
  if (path === undefined || exec(/^[\w$]+$/, name) === null) {
    return false;
  }
  const text = host.readText(path);
  return typeof text === "string" && exec(new RegExp(`\\bexport\\s+(?:declare\\s+)?(?:interface|type)\\s+${name.replaceAll("$", "\\$")}(?![\\w$])`), text) !== null;
}

/** What is imported as a whole by its default, unless it has one of its own. */
function withDefault(namespace) {
  if (!("default" in namespace)) {
    defineProperty(namespace, "default", { value: namespace, configurable: true });
  }
  return namespace;
}

const WHOLE = /^\/(?:servers|skills)\/(?:[^/]+\/)?index\.[jt]s$/;

function member(namespace, name, specifier) {
  if (name === "*") {
    return namespace;
  }
  if (!(name in namespace)) {
    const names = keysOf(namespace);
    const near = nearest(name, names);
    const listed = names.length <= MOST_LISTED ? names.join(", ") : `${names.slice(0, MOST_LISTED).join(", ")} and ${names.length - MOST_LISTED} more`;
    throw new ImportError(
      `${quoted(specifier)} has no export '${name}'${near === null ? "" : ` (did you mean '${near}'?)`}`,
      names.length > 0 ? `It has: ${listed}.` : null,
    );
  }
  return namespace[name];
}

function needed(specifier, from) {
  const module = started(specifier, from);
  if (module.promise !== null && !module.isReady) {
    throw new ImportError(`${quoted(specifier)} awaits at its top level, or is imported by what it imports; import it with \`await import(…)\``);
  }
  return module.namespace;
}

/** The module, running or run. */
function started(specifier, from) {
  const ours = builtIn[specifier];
  if (ours !== undefined) {
    return { namespace: ours, promise: null };
  }
  if (specifier === "servers") {
    return { namespace: withDefault(allServers()), promise: null };
  }
  const path = resolvedPath(specifier, from);
  const known = modules.get(path);
  if (known !== undefined) {
    if (known.failed !== undefined) {
      throw known.failed;
    }
    return known;
  }
  return run(path, specifier);
}

function run(path, specifier) {
  const namespace = { __proto__: null };
  const module = { namespace, promise: null, isReady: false, path };
  if (path.endsWith(".json")) {
    defineProperty(namespace, "default", { value: parse(readFile(path)), enumerable: true });
    return module;
  }
  const read = host.module(path);
  if (typeof read === "number") {
    throw new ImportError(`${quoted(specifier)} cannot be read`);
  }
  const prepared = parse(read);
  if (prepared.problem !== undefined) {
    throw unreadable(prepared.problem, path);
  }
  modules.set(path, module);
  remember(path, null, prepared.positions);
  const unit = new Unit(path);
  unit.namespace = namespace;
  const done = () => {
    module.isReady = true;
    if (unit.exported !== null) {
      const { value } = unit.exported;
      defineProperty(namespace, "default", { value, enumerable: true, configurable: true });
    } else if (exec(WHOLE, path) !== null) {
      withDefault(namespace);
    }
    return namespace;
  };
  try {
    const result = host.compile(prepared.code, path)(unit);
    if (prepared.is_async) {
      module.promise = then(result, done, error => {
        modules.delete(path);
        throw error;
      });
    } else {
      done();
    }
  } catch (error) {
    modules.delete(path);
    throw error;
  }
  return module;
}

/** The error for a text that is no program. */
function unreadable(problem, path = null) {
  const { message, line, column, source_line, hint } = problem;
  if (path === null) {
    const error = new SyntaxError(message);
    error.tidegateProblem = problem;
    return error;
  }
  // Its own place is that of the import.
  const place = typeof line === "number" ? `${path}:${line}:${column}` : path;
  const shown = typeof source_line === "string" ? ` in \`${source_line.trim()}\`` : "";
  const error = new SyntaxError(`${place}: ${message}${shown}`);
  if (typeof hint === "string") {
    error.tidegateHint = hint;
  }
  return error;
}

function resolvedPath(specifier, from) {
  const [first] = specifier.split("/");
  const isRelative = first === "." || first === "..";
  if (!isRelative && !specifier.startsWith("/") && !ROOTS.includes(first)) {
    const path = asFile(asSpelt(`/servers/${specifier}`));
    if (path !== null && !specifier.startsWith("node:")) {
      return path;
    }
    const bare = specifier.replace(/^node:/, "").split("/")[0];
    throw new ImportError(
      `there is no module ${quoted(specifier)}`,
      ABSENT[bare] ?? 'Packages are not available. Import tools from "servers/NAME" and files of the workspace from "./file.ts".',
    );
  }
  const folder = from.slice(0, from.lastIndexOf("/")) || "/";
  let wanted = isRelative ? pathOf(`${folder}/${specifier}`) : pathOf(`/${specifier.replace(/^\//, "")}`);
  // `./servers/x` is what files are read by; the workspace may have such a folder of its own.
  if (exec(/^\/workspace\/(?:servers|skills|results)\//, wanted) !== null && asFile(wanted) === null) {
    wanted = wanted.slice("/workspace".length);
  }
  if (wanted.startsWith("/workspace/") && current.imports !== null) {
    throw new ImportError("files of the workspace cannot be imported at this isolation level");
  }
  const path = asFile(asSpelt(wanted)) ?? asFile(wanted);
  if (path !== null) {
    return path;
  }
  const parts = wanted.split("/");
  if (parts[1] === "servers") {
    throw absentTool(specifier, parts);
  }
  throw new ImportError(`there is no module ${quoted(specifier)}`, `listDirectory(${quoted(parts.slice(0, -1).join("/") || ".")}) lists what there is.`);
}

function absentTool(specifier, parts) {
  const servers = serverNames();
  if (servers.length === 0) {
    return new ImportError(`there is no module ${quoted(specifier)}: no server is connected`);
  }
  const server = servers.find(name => letters(name) === letters(parts[2] ?? ""));
  if (server === undefined) {
    const near = nearest(parts[2] ?? "", servers);
    return new ImportError(
      `there is no server '${parts[2]}'${near === null ? "" : ` (did you mean '${near}'?)`}`,
      `There are: ${servers.slice(0, MOST_LISTED).join(", ")}.`,
    );
  }
  const listed = host.list(`/servers/${server}`);
  const tools = typeof listed === "number" ? [] : parse(listed).filter(name => name.endsWith(".ts") && name !== "index.ts").map(name => name.slice(0, -3));
  const near = nearest(parts[3] ?? "", tools);
  return new ImportError(
    `server '${server}' has no tool '${parts[3]}'${near === null ? "" : ` (did you mean '${near}'?)`}`,
    `It has: ${tools.slice(0, MOST_LISTED).join(", ")}.`,
  );
}

function serverNames() {
  const listed = host.list("/servers");
  return typeof listed === "number" ? [] : parse(listed).filter(name => name.endsWith("/")).map(name => name.slice(0, -1));
}

/** `import { github } from "servers"` */
function allServers() {
  const namespace = { __proto__: null };
  for (const name of serverNames()) {
    const get = () => needed(`servers/${name}`, "/workspace/");
    defineProperty(namespace, name, { get, enumerable: true, configurable: true });
  }
  return namespace;
}

const ENDINGS_TRIED = ["", ".ts", ".js", ".mjs", "/index.ts", "/index.js"];

function asFile(path) {
  const stem = path.replace(/\.m?js$/, "");
  for (const one of stem === path ? [path] : [path, stem]) {
    for (const ending of ENDINGS_TRIED) {
      if (host.stat(one + ending) === "f") {
        return one + ending;
      }
    }
  }
  return null;
}

/** The candidate that was most likely meant. */
function nearest(name, candidates) {
  const wanted = letters(name.slice(0, 80));
  let best = null;
  let least = Math.max(2, Math.floor(wanted.length * 0.4)) + 1;
  for (const one of candidates.slice(0, 2000)) {
    const far = distance(wanted, letters(one.slice(0, 80)));
    if (far < least) {
      [best, least] = [one, far];
    }
  }
  return best;
}

function distance(one, other) {
  let before = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const now = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1;
      now.push(Math.min(now[column - 1] + 1, before[column] + 1, before[column - 1] + same));
    }
    before = now;
  }
  return before[other.length];
}
