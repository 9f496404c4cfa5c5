// Expressions of a program that has failed: what is written before a name, and what its variables hold.
//
// A value counts only if the error could have come from it, since a variable of a function may have the
// name of one outside.

const LONGEST_GIVEN = 120;
const MOST_FIELDS = 12;
const MOST_BACK = 2000;
const MOST_TEXT = 50_000;
const WORD = /[\w$]/;
const PLAIN_CHAIN = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*|!|\[\d+\]|\["[^"\]]*"\]|\['[^'\]]*'\])*$/;
const PART = /[A-Za-z_$][\w$]*|\[(?:(\d+)|"([^"]*)"|'([^']*)')\]/g;
const UNKNOWN = Symbol("unknown");

/** Where in the text an error happened. */
function offsetOf({ text, line, column }) {
  let offset = 0;
  for (let left = line - 1; left > 0 && offset >= 0; left--) {
    offset = text.indexOf("\n", offset) + 1;
  }
  return offset + Math.max(0, column - 1);
}

/**
 * What a name that begins at `end` (or a field that ends there, `width` letters long) is a field of:
 * `a.b` of `a.b.name`. What is in parentheses is `…`. Null if it is a field of nothing.
 */
function chainBefore(text, end, width = null) {
  let at = width === null ? end : end - width;
  const blanks = () => {
    while (at > 0 && /\s/.test(text[at - 1])) {
      at -= 1;
    }
  };
  const least = Math.max(0, end - MOST_BACK);
  if (width === null) {
    blanks();
    if (text[at - 1] !== ".") {
      return null;
    }
    at -= text[at - 2] === "?" ? 2 : 1;
  }
  let chain = "";
  for (;;) {
    blanks();
    const last = at;
    while (text[at - 1] === "!" ) {
      at -= 1;
    }
    if (text[at - 1] === ")" || text[at - 1] === "]") {
      const close = text[at - 1];
      const stop = at;
      for (let depth = 0; at > least; ) {
        at -= 1;
        depth += ")]}".includes(text[at]) ? 1 : "([{".includes(text[at]) ? -1 : 0;
        if (depth === 0) {
          break;
        }
      }
      const inside = text.slice(at + 1, stop - 1);
      chain = close === ")" ? `(…)${chain}` : `${/^(?:\d+|"[^"\]]*"|'[^'\]]*')$/.test(inside) ? text.slice(at, stop) : "[…]"}${chain}`;
      if (test(WORD, text[at - 1] ?? "") || ")]".includes(text[at - 1] ?? " ")) {
        continue;
      }
      break;
    }
    while (at > least && test(WORD, text[at - 1])) {
      at -= 1;
    }
    if (at === last) {
      return chain === "" ? null : chain;
    }
    chain = text.slice(at, last).replaceAll("!", "") + chain;
    blanks();
    if (text[at - 1] !== "." || text[at - 2] === ".") {
      break;
    }
    at -= text[at - 2] === "?" ? 2 : 1;
    chain = `.${chain}`;
  }
  return chain;
}

const partsOf = chain => [...chain.matchAll(PART)].map(([whole, number, double, single]) => number ?? double ?? single ?? whole);

const access = key => (test(IDENTIFIER, key) ? `.${key}` : /^\d+$/.test(key) ? `[${key}]` : `[${quote(key)}]`);

const chainOf = ([first, ...rest]) => (first === undefined ? "" : first + rest.map(access).join(""));

/** What a variable of the program holds. */
function variable(name) {
  if (name === "" || own.has(name)) {
    return UNKNOWN;
  }
  const found = getOwnPropertyDescriptor(globalThis, name);
  if (found === undefined || !found.enumerable) {
    return UNKNOWN;
  }
  return found.get === undefined ? found.value : apply(found.get, globalThis, NONE);
}

/** A field that is there as a value; none that would have to be computed. */
function fieldOf(value, key) {
  for (let one = Object(value), left = 10; one !== null && left > 0; one = getPrototypeOf(one), left--) {
    const found = getOwnPropertyDescriptor(one, key);
    if (found !== undefined) {
      return "value" in found ? found.value : UNKNOWN;
    }
  }
  return undefined;
}

/** What `a.b[0]` holds, where `a` is a variable, or an element of one that a callback or a loop goes through. */
function valueOfChain(chain, at, fits, text = textUpTo(at)) {
  if (!test(PLAIN_CHAIN, chain)) {
    return UNKNOWN;
  }
  const [root, ...keys] = partsOf(chain);
  const along = value => {
    for (const key of keys) {
      if (value == null || value === UNKNOWN) {
        return UNKNOWN;
      }
      value = fieldOf(value, key);
    }
    return value;
  };
  const list = listOf(root, at, text);
  if (list !== null) {
    const found = list === UNKNOWN ? UNKNOWN : list.slice(0, 10_000).find(one => fits(along(one)));
    return found === undefined ? UNKNOWN : along(found);
  }
  return isParameter(root, at) ? UNKNOWN : along(variable(root));
}

/** A program up to the end of the line of an error; of a long one, its end. */
const textUpTo = at => (at.text.slice(0, offsetOf(at) - at.column + 1) + lineOf(at.text, at.line)).slice(-MOST_TEXT);

/** What a callback or a loop goes through whose element is `name`; null if none does. */
function listOf(name, at, text) {
  const called = name.replaceAll("$", "\\$");
  const loop = new RegExp(`\\bfor\\s*\\((?:const|let|var)\\s+${called}\\s+of\\s+([\\w$.]+)\\)`, "g");
  const callback = new RegExp(
    `\\.(?:map|filter|forEach|find|findLast|findIndex|some|every|flatMap)\\(\\s*(?:async\\s*)?\\(?\\s*${called}\\s*(?=[,):=])|\\.(?:sort|toSorted)\\(\\s*\\(\\s*(?:${called}\\s*[,:]|[\\w$]+\\s*(?::[^,]*)?,\\s*${called}\\b)|\\.reduce\\(\\s*\\(\\s*[\\w$]+\\s*(?::[^,]*)?,\\s*${called}\\b`,
    "g",
  );
  const loops = [...text.matchAll(loop)].map(match => [match.index, match[1]]);
  const callbacks = [...text.matchAll(callback)].map(match => [match.index, null]);
  const [last] = [...loops, ...callbacks].sort(([one], [other]) => other - one);
  if (last === undefined) {
    return null;
  }
  const [start, looped] = last;
  const chain = looped ?? chainBefore(text, start, 0);
  // What stands before it in turn, so that this ends.
  const value = chain === null ? UNKNOWN : valueOfChain(chain, at, isArray, text.slice(0, start));
  return isArray(value) ? value : UNKNOWN;
}

/** Whether a function of the program has a parameter of this name, so that nobody knows which is meant. */
function isParameter(name, { text }) {
  const called = name.replaceAll("$", "\\$");
  const itself = `(?<![\\w$.])${called}(?![\\w$])`;
  const given = `(?<!\\b(?:if|for|while|switch)\\s*)\\([^()]{0,300}${itself}[^()]{0,300}\\)\\s*(?::[^={]{0,100})?(?:=>|\\{)`;
  return test(new RegExp(`${itself}\\s*=>|${given}|\\bcatch\\s*\\(\\s*${called}\\b`), text.slice(0, MOST_TEXT));
}

function methodsOf(value) {
  const names = new Set();
  for (let one = Object(value); one !== null && one !== Object.prototype; one = getPrototypeOf(one)) {
    for (const name of Object.getOwnPropertyNames(one)) {
      if (names.size < 500 && typeof fieldOf(value, name) === "function" && name !== "constructor") {
        names.add(name);
      }
    }
  }
  return [...names];
}

/** What a value is, in a few words. */
function shown(value) {
  if (value == null || typeof value === "boolean") {
    return String(value);
  }
  if (typeof value === "string") {
    return value.length <= LONGEST_GIVEN ? `text: ${quoted(value)}` : `text of ${value.length} characters: ${quoted(value.slice(0, LONGEST_GIVEN))}…`;
  }
  if (typeof value !== "object") {
    return typeof value === "function" ? "a function" : `the number ${inspect(value)}`;
  }
  if (isArray(value)) {
    const first = fieldOf(value, "0");
    const inside = first !== null && typeof first === "object" && !isArray(first) && keysOf(first).length > 0 ? ` whose first has: ${listed(first)}` : "";
    return value.length === 0 ? "an empty array" : `an array of ${value.length}${inside}`;
  }
  if (value instanceof Promise) {
    return "a promise";
  }
  if (value instanceof Map || value instanceof Set) {
    return `a ${value instanceof Map ? "Map" : "Set"} of ${value.size}`;
  }
  return keysOf(value).length === 0 ? `an object without fields (${inspect(value, { depth: 0 }).slice(0, LONGEST_GIVEN)})` : `an object with: ${listed(value)}`;
}

function listed(value) {
  const keys = keysOf(value);
  const names = keys.slice(0, MOST_FIELDS).map(key => key.slice(0, 60)).join(", ");
  return keys.length <= MOST_FIELDS ? names : `${names} and ${keys.length - MOST_FIELDS} more`;
}
