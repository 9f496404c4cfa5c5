// What other runtimes have and this one does not, and what to try next after an error.

const FILES_HERE = "Files: readFile(path), writeFile(path, text), listDirectory(path).";
const WEB_HERE = "`await httpGet(url)` and `await httpRequest(\"POST\", url, { json })` ask hosts that the operator allowed.";
const GIVE_UP = "To give up waiting: `await Promise.race([call(), sleep(5000)])`.";
const NO_SCREEN = "Nobody looks at a screen here. Print with console.log; end with `return`.";
const NO_PAGE = "Programs do not run in a browser.";
const NO_EXPORTS = "Programs are ES modules: write `export`, or end with `return`.";
const NO_STREAMS = "There are no streams here. Work on whole texts and arrays, or with `async function*`.";
const ABSENT = {
  __proto__: null,
  Intl: "There is no Intl here. `number.toLocaleString()`, `date.toLocaleDateString(\"en-US\", { month: \"long\", day: \"numeric\" })` and `text.localeCompare(other)` are here, in English and UTC.",
  fetch: `There is no fetch here. ${WEB_HERE} Tools of servers are imported from "servers/NAME".`,
  XMLHttpRequest: `There is no network here. ${WEB_HERE}`,
  axios: `There is no axios here. ${WEB_HERE}`,
  WebSocket: `There are no connections here. ${WEB_HERE}`,
  http: `There is no network here. ${WEB_HERE}`,
  require: "There is no require here. Import tools from \"servers/NAME\", files of the workspace from \"./file.ts\"; packages are not available.",
  process: "There is no process here. Print with console.log; end with `return`.",
  Buffer: "There is no Buffer here. Use Uint8Array with TextEncoder, TextDecoder, btoa and atob, or its toBase64() and toHex().",
  Blob: "There is no Blob here. Use Uint8Array, and writeFile(path, bytes).",
  FormData: "There is no FormData here. URLSearchParams writes `a=1&b=2`.",
  Headers: "There is no Headers here. Use an object of names and values, or a Map.",
  Deno: "This is not Deno. Files: readFile, writeFile, listDirectory.",
  Bun: "This is not Bun. Files: readFile, writeFile, listDirectory.",
  fs: `There is no fs here. ${FILES_HERE}`,
  path: "There is no path module here. Join paths with `/`.",
  os: `There is no system here. ${FILES_HERE}`,
  child_process: "There are no processes here. `await spawn(code, context)` runs a program beside this one.",
  worker_threads: "There are no workers here. `await spawn(code, context)` runs a program beside this one.",
  crypto: "There is no crypto module here. Without an import, `crypto` has randomUUID(), getRandomValues(bytes) and subtle.digest(\"SHA-256\", bytes).",
  util: "There is no util module here. console.log shows values as it does; structuredClone copies them.",
  url: "Without an import: URL and URLSearchParams.",
  timers: "Without an import: setTimeout, setInterval, and `await sleep(milliseconds)`.",
  assert: "There is no assert module here. Write `if (!holds) throw new Error(…)`.",
  events: "There are no events here. Call a function, or keep a list of them.",
  stream: NO_STREAMS,
  lodash: "There is no lodash here. Object.groupBy, Map.groupBy, toSorted, flatMap, Object.entries and structuredClone are.",
  moment: "There is no library for dates here. Date, toISOString() and toLocaleDateString() are.",
  zod: "There is no zod here. Tools check their arguments themselves.",
  __dirname: "The workspace is /workspace; relative paths start there.",
  __filename: "The workspace is /workspace; relative paths start there.",
  global: "The global object is globalThis.",
  module: NO_EXPORTS,
  exports: NO_EXPORTS,
  document: `There is no document here. ${NO_PAGE}`,
  window: `There is no window here. ${NO_PAGE} The global object is globalThis.`,
  self: `There is no self here. ${NO_PAGE} The global object is globalThis.`,
  navigator: `There is no navigator here. ${NO_PAGE}`,
  localStorage: "There is no localStorage here. Variables stay for the next program of the session; files stay in /workspace.",
  alert: NO_SCREEN,
  prompt: NO_SCREEN,
  confirm: NO_SCREEN,
  print: "Print with console.log.",
  AbortController: `There is no AbortController here. ${GIVE_UP}`,
  AbortSignal: `There is no AbortSignal here. ${GIVE_UP}`,
  EventTarget: "There are no events here. Call a function, or keep a list of them.",
  Event: "There are no events here. Call a function, or keep a list of them.",
  ReadableStream: NO_STREAMS,
  setImmediate: "Use setTimeout(f, 0) or queueMicrotask(f).",
  requestAnimationFrame: "Use setTimeout(f, 0) or queueMicrotask(f).",
  WebAssembly: "There is no WebAssembly here.",
  Atomics: "There are no threads here, so that nothing has to be atomic: read and write the array.",
  Worker: "There are no workers here. `await spawn(code, context)` runs a program beside this one.",
  Temporal: "There is no Temporal here. Use Date.",
};
for (const [name, like] of Object.entries({
  https: "http", "node-fetch": "http", undici: "http", Request: "Headers", Response: "Headers", dayjs: "moment", "date-fns": "moment", luxon: "moment",
  WritableStream: "stream", TransformStream: "stream", CompressionStream: "stream", sessionStorage: "localStorage", buffer: "Buffer",
})) {
  ABSENT[name] = ABSENT[like];
}

// What is there in part.
const IN_PART = [
  [/\bcrypto(?: as \w+\))?\.subtle\.(?!digest\b)\w+/, "Of crypto.subtle there is digest, with SHA-256, SHA-384 and SHA-512."],
  [/\bcrypto(?: as \w+\))?\.(?!subtle\b|randomUUID\b|getRandomValues\b)\w+/, ABSENT.crypto],
];
const BY_GLOBAL = /\bglobalThis\.([\w$]+)/;

/** What to try next, where that is known; `at` is where it happened, if anybody knows. */
function hintFor(error, made, at) {
  try {
    if (typeof error?.tidegateHint === "string") {
      return error.tidegateHint;
    }
    const { message } = made;
    const missing = made.type === "ReferenceError" && exec(/^'?([\w$]+)'? is not defined$/, message);
    if (missing && ABSENT[missing[1]]) {
      return ABSENT[missing[1]];
    }
    if (missing) {
      return new RegExp(`^\\s*${missing[1].replaceAll("$", "\\$")}\\s*=[^=]`).test(made.source_line ?? "")
        ? `Declare it: \`let ${missing[1]} = …\`.`
        : null;
    }
    if (isOutOfMemory(error)) {
      return "Work in chunks and let go of what is no longer needed.";
    }
    if (made.type === "RangeError" && message.includes("call stack")) {
      return "A function calls itself without end, or too deeply; use a loop.";
    }
    const partly = made.type === "TypeError" ? hintForPart(made.source_line ?? "") : null;
    if (partly !== null) {
      return partly;
    }
    if (made.type === "SyntaxError" && at !== undefined) {
      return hintForJson(at);
    }
    return made.type === "TypeError" && at !== undefined ? hintForGiven(made, at) : null;
  } catch {
    return null;
  }
}

function hintForPart(line) {
  const name = exec(BY_GLOBAL, line)?.[1];
  if (name !== undefined && ABSENT[name] !== undefined && !(name in globalThis)) {
    return ABSENT[name];
  }
  const found = IN_PART.find(([what]) => exec(what, line) !== null);
  return found === undefined ? null : found[1];
}
