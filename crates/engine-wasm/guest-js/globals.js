// What programs find without importing it, besides the language: timers, console, text, addresses, chance.

// --- timers, on the host's clock ------------------------------------------------------------

const timers = new Map();
let lastTimer = 0;
const clock = performance.now.bind(performance);

function startTimer(function_, delay, given, isRepeated) {
  if (typeof function_ !== "function") {
    throw new TypeError("a timer needs a function");
  }
  const milliseconds = Math.min(Math.max(Number(delay) || 0, isRepeated ? 1 : 0), 2 ** 31 - 1);
  const id = ++lastTimer;
  timers.set(id, { id, due: clock() + milliseconds, function_, given, every: isRepeated ? milliseconds : null });
  return id;
}

function nextTimer() {
  let next = null;
  if (timers.size === 0) {
    return next;
  }
  for (const timer of timers.values()) {
    if (next === null || timer.due < next.due) {
      next = timer;
    }
  }
  return next;
}

const hasTimeouts = () => timers.size > 0 && [...timers.values()].some(timer => timer.every === null);

/** Seconds until a timer is due, or null. */
function wakeIn() {
  const next = nextTimer();
  return next === null ? null : Math.max(0, (next.due - clock()) / 1000);
}

/** Runs one timer that is due, if there is one. */
function runDue() {
  const next = nextTimer();
  if (next === null || next.due > clock()) {
    return false;
  }
  if (next.every === null) {
    timers.delete(next.id);
  } else {
    next.due = clock() + next.every;
  }
  try {
    apply(next.function_, undefined, next.given);
  } catch (error) {
    current.program?.fail(error);
  }
  return true;
}

const stopTimer = id => void timers.delete(Number(id));

// --- console ----------------------------------------------------------------------------------

const counts = new Map();
const started_ = new Map();
let indent = "";

function line(stream, values) {
  const text = formatted(values);
  print(stream, `${indent}${indent === "" ? text : text.replaceAll("\n", `\n${indent}`)}\n`);
}

const out = (...values) => line(1, values);
const err = (...values) => line(2, values);
const consoleObject = {
  log: out,
  info: out,
  debug: out,
  error: err,
  warn: err,
  trace: err,
  dir: (value, options) => print(1, `${inspect(value, options ?? {})}\n`),
  assert: (holds, ...values) => holds || err(...(values.length > 0 ? ["Assertion failed:", ...values] : ["Assertion failed"])),
  table: rows_ => out(table(rows_)),
  count: (label = "default") => {
    counts.set(label, (counts.get(label) ?? 0) + 1);
    out(`${label}: ${counts.get(label)}`);
  },
  countReset: (label = "default") => void counts.delete(label),
  time: (label = "default") => void started_.set(label, clock()),
  timeLog: (label = "default", ...values) => out(`${label}: ${(clock() - (started_.get(label) ?? clock())).toFixed(3)}ms`, ...values),
  timeEnd: (label = "default") => {
    out(`${label}: ${(clock() - (started_.get(label) ?? clock())).toFixed(3)}ms`);
    started_.delete(label);
  },
  group: (...values) => {
    if (values.length > 0) {
      out(...values);
    }
    indent += "  ";
  },
  groupEnd: () => {
    indent = indent.slice(2);
  },
  clear: () => undefined,
};
consoleObject.groupCollapsed = consoleObject.group;

function table(given) {
  if (given === null || typeof given !== "object") {
    return inspect(given);
  }
  const entries = given instanceof Map ? [...given] : Object.entries(given);
  const columns = [];
  for (const [, row] of entries) {
    for (const key of row !== null && typeof row === "object" ? keysOf(row) : ["Values"]) {
      if (!columns.includes(key)) {
        columns.push(key);
      }
    }
  }
  const cell = (row, column) => {
    const value = row !== null && typeof row === "object" ? row[column] : column === "Values" ? row : undefined;
    return value === undefined ? "" : typeof value === "string" ? value : inspect(value, { depth: 0 });
  };
  const lines = [["(index)", ...columns], ...entries.map(([key, row]) => [String(key), ...columns.map(column => cell(row, column))])];
  const widths = lines[0].map((_, at) => Math.max(...lines.map(one => one[at].length)));
  return lines.map(one => one.map((text, at) => text.padEnd(widths[at])).join(" | ").trimEnd()).join("\n");
}

// --- text as bytes ----------------------------------------------------------------------------

class TextEncoderClass {
  get encoding() {
    return "utf-8";
  }

  encode(text = "") {
    const whole = toWellFormed(String(text));
    const bytes = new Uint8Array(utf8Length(whole));
    this.encodeInto(whole, bytes);
    return bytes;
  }

  encodeInto(text, bytes) {
    let read = 0;
    let written = 0;
    for (const letter of toWellFormed(String(text))) {
      const code = letter.codePointAt(0);
      const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      if (written + size > bytes.length) {
        break;
      }
      if (size === 1) {
        bytes[written] = code;
      } else {
        bytes[written] = (0xf00 >> size) & 0xff | code >> (6 * (size - 1));
        for (let at = 1; at < size; at++) {
          bytes[written + at] = 0x80 | (code >> (6 * (size - 1 - at)) & 0x3f);
        }
      }
      written += size;
      read += letter.length;
    }
    return { read, written };
  }
}

// All of these are windows-1252 to browsers, which has signs where latin1 has nothing to show.
const WINDOWS =
  "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178";
const LATIN = ["latin1", "iso-8859-1", "windows-1252", "ascii", "us-ascii"];

class TextDecoderClass {
  #label;
  #fatal;
  #keepsMark;
  #left = new Uint8Array(0);

  constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
    this.#label = String(label).trim().toLowerCase().replace(/^(?:utf8|unicode-1-1-utf-8)$/, "utf-8");
    if (!["utf-8", "utf-16le", "utf-16", ...LATIN].includes(this.#label)) {
      throw new RangeError(`TextDecoder: ${quoted(String(label))} is not known here; utf-8, utf-16le and latin1 are`);
    }
    this.#fatal = Boolean(fatal);
    this.#keepsMark = Boolean(ignoreBOM);
  }

  get encoding() {
    return this.#label;
  }

  get fatal() {
    return this.#fatal;
  }

  decode(given = new Uint8Array(0), { stream = false } = {}) {
    let bytes = given instanceof ArrayBuffer ? new Uint8Array(given) : bytesOf(given);
    if (this.#left.length > 0) {
      const joined = new Uint8Array(this.#left.length + bytes.length);
      joined.set(this.#left);
      joined.set(bytes, this.#left.length);
      bytes = joined;
      this.#left = new Uint8Array(0);
    }
    if (LATIN.includes(this.#label)) {
      return textOf(bytes).replace(/[\x80-\x9f]/g, letter => WINDOWS[letter.charCodeAt(0) - 0x80]);
    }
    if (this.#label !== "utf-8") {
      return textOf(new Uint16Array(bytes.slice(0, bytes.length & ~1).buffer));
    }
    if (stream) {
      const whole = wholeLength(bytes);
      this.#left = bytes.slice(whole);
      bytes = bytes.subarray(0, whole);
    }
    const text = host.utf8(textOf(bytes));
    if (this.#fatal && text.includes("\ufffd") && utf8Length(text) !== bytes.length) {
      throw new TypeError("TextDecoder: the bytes are not utf-8");
    }
    return !this.#keepsMark && text.startsWith("\ufeff") ? text.slice(1) : text;
  }
}

function textOf(units) {
  const parts = [];
  for (let at = 0; at < units.length; at += 0x2000) {
    parts.push(apply(characters, null, units.subarray(at, at + 0x2000)));
  }
  return parts.join("");
}

/** How many of the bytes do not end within a letter. */
function wholeLength(bytes) {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if (byte >= 0xc0) {
      const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return size > back ? bytes.length - back : bytes.length;
    }
    if (byte < 0x80) {
      break;
    }
  }
  return bytes.length;
}

// --- chance -----------------------------------------------------------------------------------

const chance = new Uint32Array(4);

/** sfc32, which passes the usual tests and fits into a few operations. */
function nextChance() {
  const sum = (chance[0] + chance[1] + chance[3]) | 0;
  chance[3] += 1;
  chance[0] = chance[1] ^ (chance[1] >>> 9);
  chance[1] = (chance[2] + (chance[2] << 3)) | 0;
  chance[2] = ((chance[2] << 21) | (chance[2] >>> 11)) + sum;
  return sum >>> 0;
}

function seedChance(seed) {
  // A number of up to 64 bits; those above 53 are of no more use than the rest.
  chance.set([seed % 2 ** 32, Math.floor(seed / 2 ** 32) % 2 ** 32, 0x9e3779b9, 1]);
  for (let turn = 0; turn < 12; turn++) {
    nextChance();
  }
}
seedChance(1);

Math.random = function random() {
  return (nextChance() * 2 ** 21 + (nextChance() >>> 11)) / 2 ** 53;
};

const hex = byte => byte.toString(16).padStart(2, "0");
const DIGESTS = { __proto__: null, "SHA-256": 256, "SHA-384": 384, "SHA-512": 512 };

const cryptoObject = {
  getRandomValues(array) {
    bytesOf(array).set(host.random(array.byteLength));
    return array;
  },
  randomUUID() {
    const bytes = host.random(16);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const text = Array.from(bytes, hex).join("");
    return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
  },
  subtle: {
    async digest(algorithm, data) {
      const name = String(algorithm?.name ?? algorithm).toUpperCase();
      if (!(name in DIGESTS)) {
        throw new RangeError(`crypto.subtle.digest(): ${quoted(name)} is not available; ${keysOf(DIGESTS).join(", ")} are`);
      }
      const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : bytesOf(data);
      return host.digest(DIGESTS[name], textOf(bytes)).buffer;
    },
  },
};

// --- structuredClone ----------------------------------------------------------------------------

function cloned(value, met = new Map()) {
  if (typeof value === "function" || typeof value === "symbol") {
    throw new DOMException(`${typeof value === "symbol" ? String(value) : value.name || "a function"} could not be cloned`, "DataCloneError");
  }
  if (value === null || typeof value !== "object") {
    return value;
  }
  if (met.has(value)) {
    return met.get(value);
  }
  const keep = made => {
    met.set(value, made);
    return made;
  };
  if (isArray(value)) {
    const made = keep(new Array(value.length));
    for (const key of keysOf(value)) {
      made[key] = cloned(value[key], met);
    }
    return made;
  }
  if (value instanceof Date) {
    return keep(new Date(dateTime(value)));
  }
  if (value instanceof Map) {
    const made = keep(new Map());
    mapEach(value, (one, key) => made.set(cloned(key, met), cloned(one, met)));
    return made;
  }
  if (value instanceof Set) {
    const made = keep(new Set());
    setEach(value, one => made.add(cloned(one, met)));
    return made;
  }
  if (value instanceof ArrayBuffer) {
    return keep(value.slice(0));
  }
  if (isView(value)) {
    const buffer = cloned(value.buffer, met);
    return keep(new value.constructor(buffer, value.byteOffset, value instanceof DataView ? value.byteLength : value.length));
  }
  if (value instanceof RegExp) {
    return keep(new RegExp(value.source, value.flags));
  }
  if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    return keep(Object(value.valueOf()));
  }
  if (value instanceof Error) {
    const made = keep(new (FOR_NAMES[value.name] ?? Error)(value.message));
    if (value.cause !== undefined) {
      made.cause = cloned(value.cause, met);
    }
    return made;
  }
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) {
    throw new DOMException(`${value.constructor.name} could not be cloned`, "DataCloneError");
  }
  const made = keep({});
  for (const key of keysOf(value)) {
    made[key] = cloned(value[key], met);
  }
  return made;
}
const FOR_NAMES = { __proto__: null, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

// --- where QuickJS differs from the language -------------------------------------------------------

/** What is bound is of the kind of what it was made from. */
const plainBind = uncurried(Function.prototype.bind);
Function.prototype.bind = {
  bind(self, ...given) {
    const made = plainBind(this, self, ...given);
    const kind = getPrototypeOf(this);
    return kind === Function.prototype ? made : setPrototypeOf(made, kind);
  },
}.bind;
