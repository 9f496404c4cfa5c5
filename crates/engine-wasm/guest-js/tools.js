// Calls of tools: by name, through bindings, and what else a program can ask its host for.

const MAX_NAME = 100;
const ENDINGS = {
  __proto__: null,
  "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg",
  "audio/wav": ".wav", "audio/mpeg": ".mp3", "audio/ogg": ".ogg", "application/pdf": ".pdf", "application/json": ".json",
  "application/zip": ".zip", "text/html": ".html", "text/csv": ".csv", "text/markdown": ".md", "text/plain": ".txt",
};

/** A part of an answer that is no plain data: `.data`, `.mediaType`, `.uri`, `.save(path)`. */
class Content {
  #encoded;
  #data = null;

  constructor(kind, part, encoded) {
    this.kind = kind;
    this.mediaType = part.media_type ?? null;
    this.uri = part.uri ?? null;
    this.name = part.name ?? null;
    this.text = part.text ?? null;
    this.#encoded = encoded;
  }

  /** The bytes. */
  get data() {
    if (this.#data === null) {
      if (this.text !== null) {
        this.#data = new TextEncoder().encode(this.text);
      } else if (this.#encoded === null) {
        throw new Error(`${this.uri} is a link; get it with \`await readResource(${quoted(String(this.uri))})\``);
      } else {
        this.#data = bytesOfBase64(this.#encoded);
      }
    }
    return this.#data;
  }

  /** How many bytes there are. */
  get size() {
    return this.data.length;
  }

  /** Writes the bytes to a file of the workspace and returns its path. */
  save(path = null) {
    return writeFile(path ?? this.#fileName(), this.data);
  }

  #fileName() {
    const given = this.name ?? (this.uri ?? "").split("?")[0].replace(/\/+$/, "").split("/").at(-1);
    const kept = given.replace(/[^\p{L}\p{N}\-_. ]/gu, "_").replace(/^[. ]+|[. ]+$/g, "").slice(-MAX_NAME) || this.kind;
    return kept.slice(1).includes(".") ? kept : kept + (ENDINGS[(this.mediaType ?? "").split(";")[0].trim().toLowerCase()] ?? "");
  }

  toString() {
    return this.kind === "link" ? `<link ${this.uri}>` : `<${this.kind} ${this.mediaType ?? "of unknown type"}, ${this.size} bytes>`;
  }

  [ADOPTED]() {
    const made = { $type: this.kind };
    const words = { media_type: this.mediaType, uri: this.uri, name: this.name };
    for (const [name, value] of Object.entries(words)) {
      if (value !== null) {
        made[name] = value;
      }
    }
    return this.kind === "link" ? made : { ...made, bytes: this.size };
  }
}

/** The program's value for what the host answered. */
function valueOf(answer) {
  if (answer === null || typeof answer !== "object" || isArray(answer)) {
    return answer;
  }
  const keys = keysOf(answer);
  if (keys.length === 1 && (keys[0] === "v" || keys[0] === "t")) {
    return answer[keys[0]];
  }
  return "content" in answer ? assembled(answer) : answer;
}

function assembled(answer) {
  const sent = answer.content ?? [];
  const parts = sent.map(partOf);
  const structured = answer.structured ?? null;
  if (answer.has_structured ?? structured !== null) {
    if (sent.every(one => one.type === "text")) {
      return structured;
    }
    if (structured === null || typeof structured !== "object") {
      return [structured, ...parts];
    }
    defineProperty(structured, "content", { value: parts, configurable: true, writable: true });
    return structured;
  }
  return parts.length === 0 ? null : parts.length === 1 ? parts[0] : parts;
}

function partOf(part) {
  switch (part.type) {
    case "text":
      return parsed(part.text);
    case "image":
    case "audio":
      return new Content(part.type, part, part.data);
    case "resource":
      return part.text != null ? part.text : new Content("resource", part, part.blob ?? "");
    case "link":
      return new Content("link", part, null);
    case "other":
      return part.value;
    default:
      return part;
  }
}

/** A JSON object or array as data; `1` or `true` may well be meant as text. */
function parsed(text) {
  if (/^[ \t\r\n]*[{[]/.test(text)) {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) {
        throw error;
      }
    }
  }
  return text;
}

// --- calls --------------------------------------------------------------------------------

/**
 * A promise of what the host answers to the call `name` with these arguments, both JSON text. It leaves
 * when nothing else can run, together with all others that were made until then. What `given` makes of
 * the answer is its value: one promise for all of it costs a third of what a chain of them does.
 *
 * `above` is the function whose caller an error is to point at. That is noted before anybody knows whether it will be
 * wanted: once the call has been answered, nobody knows it any more.
 */
function ask(name, text, given = null, above = null, server = null, tool = null) {
  const promise = new Promise(take);
  const one = { id: ++current.lastId, name, text, resolve: taken, reject: refused, given, above, server, tool, stack: "" };
  if (above !== null) {
    capture(one, above);
  }
  current.fresh.push(one);
  current.waiting.set(one.id, one);
  return promise;
}

const capture = Error.captureStackTrace;

// What the last promise was made with. All of them share one function, and no object is made for it.
let taken = null;
let refused = null;
const take = (resolve, reject) => {
  taken = resolve;
  refused = reject;
};

/** What the host answers at once or never: `[worked, value]`, or null. */
function askNow(name, text) {
  const id = ++current.lastId;
  const reply = reach(`c${id} ${quoted(name)}\n${text}`);
  if (reply !== "") {
    return parse(reply);
  }
  current.dropped.push(id);
  return null;
}

/** Arguments as JSON text, or an error that says which one is no JSON. */
function argumentsOf(given, what, server = null, tool = null) {
  if (given === undefined || given === null) {
    return "{}";
  }
  if (typeof given !== "object" || isArray(given)) {
    throw new ArgumentError(`${what}: the arguments are one object, not ${isArray(given) ? "an array" : typeof given}`, "ArgumentError", server, tool);
  }
  const plain = plainly(given);
  if (plain !== null) {
    return plain;
  }
  const text = encode(given)[0];
  if (text.includes('"$type"')) {
    for (const key of keysOf(given)) {
      const value = given[key];
      if (encode(value)[0].startsWith('{"$type":') && !(value !== null && typeof value === "object" && "$type" in value)) {
        const kind = value?.constructor?.name ?? typeof value;
        const advice = kind === "Uint8Array" ? "btoa makes it text" : kind === "Promise" ? "put `await` before it" : "give text, numbers, arrays and objects";
        throw new ArgumentError(`${what}: argument '${key}' is a ${kind}, which JSON does not have; ${advice}`, "ArgumentError", server, tool);
      }
    }
  }
  return text;
}

/** Calls a tool of the host and returns its answer. */
async function call(name, given) {
  if (typeof name !== "string") {
    throw new TypeError(`call(): the name of a tool must be text, not ${typeof name}`);
  }
  const text = argumentsOf(given, "call()");
  return await ask(quoted(name), text, null, call);
}

// The tool that was called last, and how a call of it begins: in a loop it is the same each time.
let lastServer = null;
let lastTool = null;
let lastHead = "";

function headOf(server, tool) {
  if (server !== lastServer || tool !== lastTool || lastHead === "") {
    lastHead = `{"server":${server === null ? "null" : quoted(server)},"tool":${quoted(tool)},"arguments":`;
    lastServer = server;
    lastTool = tool;
  }
  return lastHead;
}

/** What generated bindings call. */
function callOf(server, tool, given, above = callOf) {
  try {
    const text = argumentsOf(given, `${tool}()`, server, tool);
    return ask('"$call"', `${headOf(server, tool)}${text}}`, valueOf, above, server, tool);
  } catch (error) {
    return rejected(error);
  }
}

/** Nobody has to expect an error both where a call is made and where it is waited for. */
async function rejected(error) {
  throw error;
}

/** The error of a failed call, as if it had happened where the call was made. */
function calledAt(error, { above, server, tool, stack }) {
  if (above !== null) {
    if (error instanceof ToolError) {
      error.server ??= server;
      error.tool ??= tool;
    }
    defineProperty(error, "stack", { value: stack, writable: true, configurable: true });
  }
  return error;
}

/** Calls a tool by name: `(tool, arguments)` or `(server, tool, arguments)`. */
function callMCPTool(first, second, third) {
  if (typeof first !== "string") {
    return rejected(new ArgumentError("callMCPTool() needs the tool's name first: callMCPTool('server', 'tool', {...}), or 'tool' alone"));
  }
  return typeof second === "string" ? callOf(first, second, third, callMCPTool) : callOf(null, first, second, callMCPTool);
}

async function asked(name, given) {
  return await ask(quoted(name), encode(given)[0], valueOf, asked);
}

function told(function_, value) {
  if (value === null || typeof value !== "object" || !("listed" in value && "missing" in value)) {
    return value;
  }
  for (const one of value.missing) {
    print(2, `${function_}(): those of ${one.server} are missing: ${one.reason}\n`);
  }
  defineProperty(value.listed, "missing", { value: value.missing });
  return value.listed;
}

const listResources = async (server = null) => told("listResources", await asked("$resources", { server }));
const listPrompts = async (server = null) => told("listPrompts", await asked("$prompts", { server }));
const readResource = (server, uri) => asked("$resource", uri === undefined ? { server: null, uri: server } : { server, uri });
const getPrompt = (server, name, given = {}) =>
  typeof name === "string"
    ? asked("$prompt", { server, name, arguments: given ?? {} })
    : asked("$prompt", { server: null, name: server, arguments: name ?? {} });

// --- finding tools ------------------------------------------------------------------------

const LEVELS = { name_only: "name_only", with_description: "with_description", full: "full" };

/** Finds tools by what they do, the best first: an array, with `total`, `matching` and `missing` besides. */
function searchTools(query = "", options = {}) {
  const given = typeof options === "string" ? { detailLevel: options } : options ?? {};
  const level = given.detailLevel ?? given.detail_level ?? "name_only";
  const { server = null, limit = 10 } = given;
  if (typeof query !== "string") {
    throw new TypeError(`searchTools(): query is words, not ${typeof query}`);
  }
  if (!(level in LEVELS)) {
    throw new RangeError(`searchTools(): detailLevel is one of ${keysOf(LEVELS).map(quote).join(", ")}, not ${inspect(level)}`);
  }
  if (!Number.isInteger(limit) || limit < 1) {
    throw new RangeError(`searchTools(): limit is a number of tools from 1 on, not ${inspect(limit)}`);
  }
  const answer = askNow("$search", encode({ query, detail_level: level, server, limit: Math.min(limit, 1_000_000), language: "typescript" })[0]);
  if (answer === null) {
    return [];
  }
  const [worked, value] = answer;
  if (!worked) {
    throw failure(value);
  }
  const { tools, matching, total, missing = [] } = value;
  for (const one of missing) {
    print(2, `searchTools(): the tools of ${one.server} are missing: ${one.reason ?? one.state}\n`);
  }
  for (const [name, one] of Object.entries({ matching, total, missing })) {
    defineProperty(tools, name, { value: one, writable: true, configurable: true });
  }
  return tools;
}

const STRATEGIES = ["summarize", "schema", "auto", "sample", "truncate", "none"];

/** A value in few tokens: counts, shapes and figures instead of rows. */
function summarize(value, strategy = "summarize", maxTokens = 500) {
  if (!STRATEGIES.includes(strategy)) {
    throw new RangeError(`summarize(): strategy is one of ${STRATEGIES.map(quote).join(", ")}, not ${inspect(strategy)}`);
  }
  if (!Number.isInteger(maxTokens) || maxTokens < 50) {
    throw new RangeError(`summarize(): maxTokens is a number from 50 on, not ${inspect(maxTokens)}`);
  }
  const [text, tooLarge] = encode(value, current.valueBytes);
  if (tooLarge) {
    throw new RangeError(`summarize(): this value is longer than ${current.valueBytes} bytes as JSON; summarize parts of it`);
  }
  const answer = askNow("$summarize", `{"strategy":"${strategy}","max_tokens":${maxTokens},"value":${text}}`);
  if (answer === null) {
    throw new Error("summarize() is not available here");
  }
  if (!answer[0]) {
    throw failure(answer[1]);
  }
  return answer[1];
}

// --- other programs, the web, waiting -----------------------------------------------------

/**
 * Runs a program in an interpreter of its own, with `context` as its variables, and gives what it returns. It may be
 * in another language: `spawn("return sum(rows)", { rows }, { language: "python" })`. `agent` is what it is called, for
 * rules and in what is told of it.
 */
async function spawn(code, context = {}, { agent, language } = {}) {
  if (typeof code !== "string") {
    throw new TypeError(`spawn(): code is the text of a program, not ${typeof code}; put it in quotes`);
  }
  if (language !== undefined && typeof language !== "string") {
    throw new TypeError(`spawn(): language is "python" or "typescript", not ${inspect(language)}`);
  }
  const which = language === undefined ? {} : { language: language.toLowerCase() };
  const named = agent === undefined ? {} : { agent };
  return await asked("$spawn", { code, context: context ?? {}, ...which, ...named });
}

/** Asks a model: the text of its answer, or with a JSON Schema what the answer says. */
async function askModel(prompt, schema) {
  if (typeof prompt !== "string") {
    throw new TypeError(`askModel(): prompt is text, not ${typeof prompt}; put the data into it, as with JSON.stringify(…)`);
  }
  return (await asked("$ask_model", schema === undefined ? { prompt } : { prompt, schema })).answer;
}

/** Puts a message into a mailbox, for another program of the same owner: any value that is JSON. */
async function post(box, message) {
  await asked("$post", { box, message: message ?? null });
}

/** Takes the first message of a mailbox, once there is one; fails after `timeout` seconds without. */
async function receive(box, { timeout } = {}) {
  return await asked("$receive", timeout === undefined ? { box } : { box, timeout });
}

/** Runs the program once for each of `items`, which it finds as `item` beside `index`; gives what they return, in order. */
async function spawnMap(code, items, { parallel = 4, language } = {}) {
  if (!Number.isInteger(parallel) || parallel < 1) {
    throw new RangeError(`spawnMap(): parallel is a number from 1 on, not ${inspect(parallel)}`);
  }
  const all = [...items];
  const results = new Array(all.length);
  let next = 0;
  const worker = async () => {
    while (next < all.length) {
      const index = next++;
      results[index] = await spawn(code, { item: all[index], index }, { language });
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, all.length) }, worker));
  return results;
}

/** Makes a request to an allowed host: `body` is text or bytes, `json` a value that is sent as JSON. */
async function httpRequest(method, url, { headers = {}, body, json, params, timeout } = {}) {
  let address = String(url);
  if (params) {
    address += (address.includes("?") ? "&" : "?") + new URLSearchParamsClass(params).toString();
  }
  const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  const request = { method, url: address, headers: pairs };
  if (json !== undefined) {
    request.body = { text: encode(json)[0] };
    if (!pairs.some(([name]) => name.toLowerCase() === "content-type")) {
      pairs.push(["content-type", "application/json"]);
    }
  } else if (typeof body === "string") {
    request.body = { text: body };
  } else if (body !== undefined && isView(body)) {
    request.body = { base64: base64Of(bytesOf(body)) };
  }
  if (timeout !== undefined) {
    request.timeout = timeout;
  }
  const answer = await ask('"$http"', encode(request)[0], null, httpRequest);
  const { body: sent, ...rest } = answer;
  if ("base64" in sent) {
    return { ...rest, bytes: bytesOfBase64(sent.base64) };
  }
  const made = { ...rest, text: sent.text };
  if (String(rest.headers?.["content-type"] ?? "").includes("json")) {
    try {
      made.json = parse(sent.text);
    } catch {
      // It says so and is none; the text is there.
    }
  }
  return made;
}

const httpGet = (url, options) => httpRequest("GET", url, options);

/** Calls `check` every so many seconds until it gives something true, and returns that. */
async function waitUntil(check, { every = 30, timeout = 3600 } = {}) {
  if (typeof check !== "function") {
    throw new TypeError("waitUntil(): check is a function that is called again and again; write `() => …`");
  }
  for (const [name, number] of Object.entries({ every, timeout })) {
    if (typeof number !== "number" || !(number > 0)) {
      throw new RangeError(`waitUntil(): ${name} is a number of seconds above 0, not ${inspect(number)}`);
    }
  }
  const end = dateNow() + timeout * 1000;
  // Once it has waited, nobody knows any more who asked for it.
  const here = { stack: "" };
  capture(here, waitUntil);
  for (;;) {
    const found = await check();
    if (found) {
      return found;
    }
    const left = end - dateNow();
    if (left <= 0) {
      const error = new TimeoutError(`waitUntil(): nothing after ${timeout} seconds; check gave ${inspect(found)} last`);
      defineProperty(error, "stack", { value: here.stack, writable: true, configurable: true });
      throw error;
    }
    await sleep(Math.min(every * 1000, left));
  }
}

/** Waits so many milliseconds. */
const sleep = milliseconds => new Promise(resolve => startTimer(resolve, milliseconds, [], false));

const TOOLS = {
  call, callMCPTool, searchTools, summarize, listResources, readResource, listPrompts, getPrompt, spawn, spawnMap,
  askModel, post, receive,
  httpGet, httpRequest, waitUntil, sleep,
};
