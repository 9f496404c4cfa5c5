// What stood in the place that an error is about: which variable, what it holds, and what was meant.
//
// Looked up only once a program has failed; nothing is said of values that nobody can know.

const MOST_AHEAD = 400;

// What others call it.
const CALLED_HERE = {
  __proto__: null,
  sum: "`.reduce((sum, one) => sum + one, 0)` adds up",
  mean: "`.reduce((sum, one) => sum + one, 0) / rows.length` is the mean",
  max: "`Math.max(...numbers)` is the largest",
  min: "`Math.min(...numbers)` is the least",
  append: "`.push(value)` appends",
  add: "`.push(value)` appends to an array",
  extend: "`.push(...values)` appends several",
  contains: "`.includes(value)` says whether it is in there",
  has: "`.includes(value)` or `key in object` says whether it is in there",
  unique: "`[...new Set(values)]` has each once",
  groupBy: "`Object.groupBy(rows, row => row.key)` makes groups",
  sortBy: "`.toSorted((a, b) => a.key - b.key)` sorts",
  orderBy: "`.toSorted((a, b) => a.key - b.key)` sorts",
  sumBy: "`.reduce((sum, row) => sum + row.key, 0)` adds up",
  count: "`.length` says how many there are",
  size: "`.length` says how many there are",
  len: "`.length` says how many there are",
  length: "`.length` is no call: leave `()` out",
  first: "`.at(0)` is the first",
  last: "`.at(-1)` is the last",
  head: "`.slice(0, 5)` has the first ones",
  strip: "`.trim()` takes blanks off both ends",
  format: "a text in back quotes, `${value}`, takes values in",
  keys: "`Object.keys(object)` lists the keys",
  items: "`Object.entries(object)` lists keys and values",
  entries: "`Object.entries(object)` lists keys and values",
  values: "`Object.values(object)` lists the values",
  get: "`object.key` or `object[key]` reads a field",
  isEmpty: "`.length === 0` says whether it is empty",
};

/** What the value was that a TypeError is about, and what to write; null if nothing is known. */
function hintForGiven(made, at) {
  const { message } = made;
  const lost = exec(/^cannot read property '([\w$]+)' of (undefined|null)$/, message);
  if (lost !== null) {
    return hintForLost(lost[1], lost[2], at);
  }
  if (message === "not a function") {
    return hintForCall(at);
  }
  return message === "value is not iterable" ? hintForEach(at) : null;
}

/** For a SyntaxError of `JSON.parse`: what it was given. */
function hintForJson(at) {
  const match = exec(/\bJSON\.parse\(\s*([A-Za-z_$][\w$.[\]]*)\s*[),]/, lineOf(at.text, at.line));
  const value = match === null ? UNKNOWN : valueOfChain(match[1], at, () => true);
  if (value === UNKNOWN) {
    return null;
  }
  if (value instanceof Promise) {
    return promised(match[1], at);
  }
  return value !== null && typeof value === "object"
    ? `\`${match[1]}\` is ${shown(value)} already: leave \`JSON.parse\` out.`
    : `\`${match[1]}\` is ${shown(value)}${typeof value === "string" ? `, which is no JSON: take what you need out of it, as with \`${match[1]}.match(/…/)\`` : ""}.`;
}

// --- a call of what is no function ---------------------------------------------------------

function hintForCall(at) {
  let last = null;
  for (const called of callsOf(at)) {
    const hint = hintForCalled(called, at);
    if (hint !== null) {
      return hint;
    }
    last ??= called;
  }
  const before = last === null ? null : chainBefore(at.text, last.start);
  const isThere = before !== null && typeof valueOfChain(`${before}.${last.name}`, at, () => true) === "function";
  return isThere
    ? `\`${before}.${last.name}\` is a function; what it was given is none, and has to be.`
    : hintForPromises(at);
}

/** What is said of one call of a line; null if it may well have worked. */
function hintForCalled({ name, start }, at) {
  const before = chainBefore(at.text, start);
  if (before === null) {
    const value = variable(name);
    return value === UNKNOWN || typeof value === "function" || isParameter(name, at) ? null : `\`${name}\` is ${shown(value)}, and no function.`;
  }
  const value = valueOfChain(before, at, one => one != null && typeof fieldOf(one, name) !== "function");
  if (value === UNKNOWN) {
    const isOfLanguage = test(PLAIN_CHAIN, before) && isThereAnyway(partsOf(before)[0]);
    return hintForUnawaited(before, `.${name}(…)`, at) ?? hintForPromises(at) ?? (isOfLanguage || isKnownMethod(name) ? null : hintForMethod(name, before));
  }
  return value == null || typeof fieldOf(value, name) === "function" ? null : withoutMethod(name, before, value, at);
}

/** Of the language or of this runtime, such as `Object`. */
const isThereAnyway = name => name in globalThis && variable(name) === UNKNOWN;

/** Of texts and arrays: where a value is not known, it may be one, and then the error is elsewhere. */
const isKnownMethod = name => typeof ""[name] === "function" && typeof [][name] === "function";

function withoutMethod(name, before, value, at) {
  if (value instanceof Promise) {
    return promised(before, at);
  }
  const what = `\`${before}\` is ${shown(value)}, which has no method '${name}'`;
  const isGroup = typeof value === "object" && !isArray(value) && !(value instanceof Map || value instanceof Set);
  if (isGroup && typeof [][name] === "function" && typeof Object[name] !== "function") {
    const lists = keysOf(value).filter(key => isArray(fieldOf(value, key))).slice(0, 3);
    const written = lists.map(key => `\`${before}${access(key)}.${name}(…)\``);
    return lists.length === 0
      ? `${what}; arrays have. \`Object.values(${before})\` is an array of its values.`
      : `${what}; write ${written.join(" or ")}.`;
  }
  if (value instanceof Map || value instanceof Set) {
    return `${what}; \`[...${before}]\` is an array of what is in it.`;
  }
  const near = nearest(name, methodsOf(value));
  const advice = CALLED_HERE[name] ?? (near === null ? null : `did you mean \`.${near}(…)\`?`);
  return advice === null ? `${what}.` : `${what}; ${advice}${advice.endsWith("?") ? "" : "."}`;
}

function hintForMethod(name, before) {
  const look = `\`console.log(${before})\` before this line shows what it is`;
  const advice = CALLED_HERE[name];
  if (advice !== undefined) {
    return `\`${before}\` has no method '${name}'; ${advice}.`;
  }
  const whose = typeof [][name] === "function" ? "; arrays have" : "";
  return `\`${before}\` has no method '${name}'${whose}. ${test(PLAIN_CHAIN, before) ? `${look}.` : "Give it a name on a line of its own, and print it."}`;
}

/** Every `name(` of the line of an error, the likeliest first: columns are near, and not always exact. */
function callsOf(at) {
  const from = offsetOf(at);
  const first = from - at.column + 1;
  const pattern = /[A-Za-z_$][\w$]*(?=\s*(?:!|\?\.)?\s*\()/g;
  const found = [...lineOf(at.text, at.line).matchAll(pattern)].map(match => ({ name: match[0], start: first + match.index }));
  return found.sort((one, other) => Math.abs(one.start - from) - Math.abs(other.start - from)).slice(0, 20);
}

// --- a field of what is not there ----------------------------------------------------------

function hintForLost(name, nothing, at) {
  const before = readerOf(name, at);
  if (before === null) {
    return hintForPromises(at);
  }
  if (!test(PLAIN_CHAIN, before)) {
    return hintForUnawaited(before, `.${name}`, at) ?? hintForPromises(at)
      ?? `\`${before}\` is ${nothing} here: see whether it is there before its \`${name}\` is read.`;
  }
  const parts = partsOf(before);
  // The first part that is not there, and what it was looked for in.
  for (let many = 1; many < parts.length; many++) {
    const owner = chainOf(parts.slice(0, many));
    const key = parts[many];
    const value = valueOfChain(owner, at, one => one != null && one[key] == null);
    if (value === UNKNOWN) {
      break;
    }
    if (value == null) {
      return `\`${owner}\` is ${value}.`;
    }
    if (value[key] == null) {
      return key in Object(value) && !(value instanceof Promise)
        ? `\`${owner}${access(key)}\` is ${value[key]} here: see whether it is there before its \`${name}\` is read, or write \`${owner}${access(key)}?.${name}\`.`
        : withoutField(owner, key, value, at);
    }
  }
  const whole = parts.length === 1 ? variable(before) : UNKNOWN;
  if (whole == null) {
    const made = madeOf(before, at);
    return `\`${before}\` is ${whole}${made === null || !made.includes("(") ? "" : `: \`${made}\` gave nothing`}.`;
  }
  const owner = chainOf(parts.slice(0, -1));
  const look = owner === "" ? "" : ` \`console.log(${owner})\` before this line shows what \`${owner}\` has;`;
  return hintForPromises(at) ?? `\`${before}\` is ${nothing} here.${look} \`${before}?.${name}\` allows for it.`;
}

function withoutField(owner, key, value, at) {
  if (value instanceof Promise) {
    return hintForPromises(at) ?? promised(owner, at);
  }
  const what = `\`${owner}\` is ${shown(value)}`;
  if (isArray(value)) {
    return /^\d+$/.test(key) ? `${what}, and has no \`[${key}]\`.` : `${what}; '${key}' is no field of an array: go through its elements.`;
  }
  if (typeof value === "string") {
    return `${what}; a text has no field '${key}': take what you need out of it, as with \`${owner}.match(/…/)\`.`;
  }
  const near = typeof value === "object" ? nearest(key, keysOf(value)) : null;
  return `${what}; it has no '${key}'${near === null ? "" : ` (did you mean '${near}'?)`}.`;
}

/** What `name` was read of: of several in the line, the first whose value is known not to be there. */
function readerOf(name, at) {
  const from = offsetOf(at);
  return readerFrom(from, name, at) ?? readerFrom(from - at.column + 1, name, at);
}

function readerFrom(from, name, at) {
  const part = at.text.slice(from, from + MOST_AHEAD);
  const pattern = new RegExp(`(\\?\\.|\\.)\\s*${name.replaceAll("$", "\\$")}(?![\\w$])|\\[["']${name.replaceAll("$", "\\$")}["']\\]`, "g");
  let first = null;
  for (let match = exec(pattern, part), tried = 0; match !== null && tried < 10; match = exec(pattern, part), tried++) {
    const before = chainBefore(at.text, from + match.index + match[0].length, match[0].length);
    if (before === null || match[0].startsWith("?")) {
      continue;
    }
    const value = valueOfChain(before, at, () => true);
    if (value !== UNKNOWN && value != null) {
      continue;
    }
    if (value !== UNKNOWN) {
      return before;
    }
    first ??= before;
  }
  return first;
}

// --- going through what cannot be gone through ---------------------------------------------

function hintForEach(at) {
  const line = lineOf(at.text, at.line);
  const match = exec(/(?:\bof|\.\.\.)\s*([A-Za-z_$][\w$.]*)\s*[),\]}]/, line) ?? exec(/\]\s*=\s*([A-Za-z_$][\w$.]*)\s*;?$/, line);
  const value = match === null ? UNKNOWN : valueOfChain(match[1], at, () => true);
  const called = exec(/(?:\bof|\.\.\.)\s*([A-Za-z_$][\w$.]*\(.*\))\s*[),\]}]/, line);
  if (called !== null) {
    const found = hintForUnawaited(chainBefore(called[1], called[1].length, 0) ?? "", null, at);
    return found ?? hintForPromises(at);
  }
  if (value === UNKNOWN || (value != null && typeof value[Symbol.iterator] === "function")) {
    return hintForPromises(at);
  }
  if (value instanceof Promise) {
    return promised(match[1], at);
  }
  const lists = value !== null && typeof value === "object" ? keysOf(value).filter(key => isArray(fieldOf(value, key))).slice(0, 3) : [];
  const way = lists.length > 0 ? `go through ${lists.map(key => `\`${match[1]}${access(key)}\``).join(" or ")}` : `\`Object.entries(${match[1]})\` lists keys and values`;
  return value !== null && typeof value === "object" ? `\`${match[1]}\` is ${shown(value)}: ${way}.` : `\`${match[1]}\` is ${shown(value)}.`;
}

// --- promises ------------------------------------------------------------------------------

/** For a value that is a promise: where `await` belongs. */
function promised(name, at) {
  const made = madeOf(name, at);
  return made === null
    ? `\`${name}\` is a promise, and has no fields of what it brings: put \`await\` before what made it, or write \`(await ${name})\`.`
    : `\`${name}\` is a promise, and has no fields of what it brings: write \`${name} = await ${made}\`.`;
}

/** How a variable was made, as the program has it. */
function madeOf(name, at) {
  const match = exec(new RegExp(`\\b(?:const|let|var)\\s+${name.replaceAll("$", "\\$")}\\b[^=\\n]*=(?!=)\\s*([^\\n]{1,80}?);?\\s*(?:\\n|$)`), at.text);
  return match === null ? null : match[1];
}

/** For `call().field` without `await`, where the call may well be one of a tool. */
function hintForUnawaited(before, after, at) {
  const called = exec(/^(?!new\b)((?:[A-Za-z_$][\w$]*\.)*)([A-Za-z_$][\w$]*)\(…\)((?:\.[A-Za-z_$][\w$]*)*)$/, before);
  if (called === null) {
    return null;
  }
  const [, owner, name, rest] = called;
  const call = before.slice(0, before.length - rest.length);
  const isOfLanguage = owner !== "" && [[], "", new Map(), Object, Promise.prototype, JSON, Math, Number, Date, Array].some(one => typeof one[name] === "function");
  const value = owner === "" ? variable(name) : UNKNOWN;
  // What a server offers may be a plain function that gives a promise.
  const isImported = test(new RegExp(`\\bimport\\b[^;\\n]*\\b${name.replaceAll("$", "\\$")}\\b`), at.text);
  const isPlain = typeof value === "function" && !isImported && !inspect(value).startsWith("[AsyncFunction");
  const isOffered = name in TOOLS && name !== "searchTools" && name !== "summarize";
  const isOurs = owner === "" && value === UNKNOWN && name in globalThis && !isOffered;
  if (isOfLanguage || isPlain || isOurs) {
    return null;
  }
  const mended = after === null && rest === "" ? `await ${call}` : `(await ${call})${rest}${after ?? ""}`;
  return `Calls of tools and async functions give promises. If \`${call}\` is one, put \`await\` before it: \`${mended}\`.`;
}

/** For a line that uses a variable which holds a promise, or several. */
function hintForPromises(at) {
  const names = new Set(lineOf(at.text, at.line).match(/(?<![.\w$])[A-Za-z_$][\w$]*/g) ?? []);
  for (const name of names) {
    const value = variable(name);
    if (value instanceof Promise) {
      return promised(name, at);
    }
    if (isArray(value) && value.length > 0 && fieldOf(value, "0") instanceof Promise) {
      return `\`${name}\` is an array of promises: write \`await Promise.all(${name})\`.`;
    }
  }
  return null;
}
