// Values as JSON that keeps their meaning, whatever a program hands back.
//
// `encode` never throws. What JSON has, crosses as itself; what it lacks, crosses as the nearest
// thing a reader understands; what cannot cross at all is described: `{"$type": …, "repr": …}`.
// These files share one scope, and take from the language what they need before any program runs.

// A program may call its variables by these names; what is here keeps the first meaning.
const {
  Object, Array, String, Number, Boolean, BigInt, Symbol, Math, JSON, RegExp, Function, Promise, Date, Map, Set, WeakMap, WeakSet,
  WeakRef, ArrayBuffer, DataView, Uint8Array, Uint16Array, Uint32Array, Error, TypeError, RangeError, SyntaxError, ReferenceError,
  EvalError, URIError, InternalError, AggregateError, DOMException, parseInt, encodeURIComponent, decodeURIComponent,
} = globalThis;
const { apply, ownKeys, getPrototypeOf, defineProperty, getOwnPropertyDescriptor } = globalThis.Reflect;
const uncurried = function_ => (self, ...rest) => apply(function_, self, rest);
const NONE = [];
/** The same for what takes nothing. */
const alone = function_ => self => apply(function_, self, NONE);
const parse = JSON.parse;
const quote = JSON.stringify;
const { setPrototypeOf } = Object;
const isArray = Array.isArray;
const keysOf = Object.keys;
const isWellFormed = alone(String.prototype.isWellFormed);
const toWellFormed = alone(String.prototype.toWellFormed);
const dateToISO = uncurried(Date.prototype.toISOString);
const dateTime = uncurried(Date.prototype.getTime);
const mapEach = uncurried(Map.prototype.forEach);
const setEach = uncurried(Set.prototype.forEach);
const bigToText = uncurried(BigInt.prototype.toString);
const bytesOf = view => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
const typedTag = uncurried(getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get);
const isView = ArrayBuffer.isView;
const tagOf = uncurried(Object.prototype.toString);
const { btoa: toBase64, atob: fromBase64, performance } = globalThis;
const characters = String.fromCharCode;

const DEEPEST = 100;
const PREVIEW = 500;
const REPR = 200;
// Readers of JSON in other languages, Python's among them, take no longer ones.
const MOST_DIGITS_OF_INTEGERS = 4300;

class TooLarge {
  constructor(bytes) {
    this.bytes = bytes;
  }
}

/** Text that any JSON reader takes: no halves of letters. */
const quoted = text => quote(isWellFormed(text) ? text : toWellFormed(text));

/** How many bytes a text has as UTF-8. */
function utf8Length(text) {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7ff) {
      bytes += code >= 0xd800 && code <= 0xdfff ? 1 : 2;
    } else if (code > 0x7f) {
      bytes += 1;
    }
  }
  return bytes;
}

/** Bytes as base64 text. */
function base64Of(bytes) {
  const parts = [];
  for (let at = 0; at < bytes.length; at += 0x6000) {
    const part = new Uint8Array(bytes.buffer, bytes.byteOffset + at, Math.min(0x6000, bytes.length - at));
    parts.push(toBase64(apply(characters, null, part)));
  }
  return parts.join("");
}

/** Base64 text as bytes. */
function bytesOfBase64(text) {
  const letters = fromBase64(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) {
    bytes[at] = letters.charCodeAt(at);
  }
  return bytes;
}

const ADOPTED = Symbol("what crosses in place of this object");

class Walk {
  constructor(limit, cut) {
    this.room = limit ?? Infinity;
    this.limit = limit;
    this.cut = cut;
    this.above = new Set();
  }

  take(count) {
    this.room -= count;
    if (this.room < 0 && !this.cut) {
      throw new TooLarge(this.limit - this.room);
    }
  }

  text(value, depth) {
    switch (typeof value) {
      case "string": {
        const shown = this.cut ? value.slice(0, PREVIEW) : value;
        this.take(shown.length + 2);
        return quoted(shown);
      }
      case "number":
        this.take(2);
        return value - value === 0 ? (Object.is(value, -0) ? "0" : `${value}`) : `"${value}"`;
      case "boolean":
        this.take(4);
        return value ? "true" : "false";
      case "undefined":
        this.take(4);
        return "null";
      case "bigint": {
        const digits = bigToText(value);
        if (digits.length > MOST_DIGITS_OF_INTEGERS) {
          return this.described(value);
        }
        this.take(digits.length);
        return digits;
      }
      case "object":
        return value === null ? "null" : this.object(value, depth);
      default:
        return this.described(value);
    }
  }

  object(value, depth) {
    if (this.above.has(value)) {
      return this.described(value);
    }
    if (depth >= DEEPEST) {
      return this.described(value);
    }
    this.above.add(value);
    try {
      return this.inside(value, depth + 1);
    } finally {
      this.above.delete(value);
    }
  }

  inside(value, depth) {
    if (isArray(value)) {
      return this.list(value, depth);
    }
    const prototype = getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) {
      return typeof value.toJSON === "function" ? this.text(value.toJSON(), depth) : this.record(value, depth);
    }
    if (ADOPTED in value) {
      return this.text(value[ADOPTED](), depth);
    }
    if (isView(value) || value instanceof ArrayBuffer) {
      return this.binary(value, depth);
    }
    if (typeof value.toJSON === "function" && !(value instanceof Date)) {
      return this.text(value.toJSON(), depth);
    }
    if (value instanceof Date) {
      return Number.isNaN(dateTime(value)) ? "null" : quote(dateToISO(value));
    }
    if (value instanceof Map) {
      return this.map(value, depth);
    }
    if (value instanceof Set) {
      const items = [];
      setEach(value, one => items.push(one));
      return this.list(items, depth);
    }
    if (value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt) {
      return this.text(value.valueOf(), depth);
    }
    if (value instanceof RegExp) {
      return this.text(String(value), depth);
    }
    if (value instanceof Error) {
      const { name, message } = value;
      return `{"$type":"Error","name":${quoted(String(name))},"message":${quoted(String(message))}}`;
    }
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) {
      return this.described(value);
    }
    if (typeof value.next === "function" && typeof value[Symbol.iterator] === "function") {
      return this.list(this.taken(value), depth);
    }
    return this.record(value, depth);
  }

  /** What an iterator still gives, within the limit. */
  taken(iterator) {
    const items = [];
    for (const one of iterator) {
      items.push(one);
      if (items.length * 2 > this.room) {
        throw new TooLarge(items.length * 2);
      }
    }
    return items;
  }

  list(items, depth) {
    const parts = [];
    const count = this.cut ? Math.min(items.length, PREVIEW) : items.length;
    this.take(count + 2);
    for (let at = 0; at < count && !(this.cut && this.room < 0); at++) {
      parts.push(this.text(items[at], depth));
    }
    return `[${parts.join(",")}]`;
  }

  record(value, depth) {
    const parts = [];
    this.take(2);
    for (const key of keysOf(value)) {
      const one = value[key];
      if (one === undefined || typeof one === "function" || typeof one === "symbol") {
        continue;
      }
      this.take(key.length + 4);
      parts.push(`${quoted(key)}:${this.text(one, depth)}`);
      if (this.cut && this.room < 0) {
        break;
      }
    }
    return `{${parts.join(",")}}`;
  }

  map(value, depth) {
    const pairs = [];
    let plain = true;
    const seen = new Set();
    mapEach(value, (one, key) => {
      pairs.push([key, one]);
      plain &&= typeof key === "string" || typeof key === "number";
      seen.add(String(typeof key === "symbol" ? "" : key));
    });
    if (plain && seen.size === pairs.length) {
      const parts = [];
      this.take(2);
      for (const [key, one] of pairs) {
        this.take(4);
        parts.push(`${quoted(`${key}`)}:${this.text(one, depth)}`);
      }
      return `{${parts.join(",")}}`;
    }
    return `{"$type":"Map","items":${this.list(pairs, depth + 1)}}`;
  }

  binary(value, depth) {
    if (value instanceof ArrayBuffer || value instanceof DataView) {
      value = value instanceof ArrayBuffer ? new Uint8Array(value) : bytesOf(value);
    }
    const kind = typedTag(value);
    if (kind === "Uint8Array" || kind === "Uint8ClampedArray") {
      this.take(Math.ceil(value.length / 3) * 4);
      return `{"$type":"bytes","base64":"${base64Of(this.cut ? value.subarray(0, PREVIEW) : value)}"}`;
    }
    return this.list(value, depth);
  }

  described(value) {
    const text = described(value);
    this.take(text.length);
    return text;
  }
}

/** What is said of a value that cannot cross: its type, and how it looks. */
function described(value) {
  let name = typeof value;
  let text;
  try {
    if (typeof value === "function") {
      name = "function";
      text = String(value.name || "function");
    } else if (typeof value === "symbol") {
      text = String(value);
    } else {
      name = String(value.constructor?.name ?? "object");
      text = inspect(value, { depth: 1 });
    }
  } catch {
    text = "<cannot be shown>";
  }
  return `{"$type":${quoted(name.slice(0, REPR))},"repr":${quoted(text.slice(0, REPR))}}`;
}

/** JSON text of an object of texts, numbers and truths, as `encode` gives it; null for any other value. */
function plainly(record) {
  if (getPrototypeOf(record) !== Object.prototype || record.toJSON !== undefined) {
    return null;
  }
  const keys = keysOf(record);
  let text = "";
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at];
    const value = record[key];
    let word;
    switch (typeof value) {
      case "string":
        word = quoted(value);
        break;
      case "number":
        if (value - value !== 0) {
          return null;
        }
        word = `${value}`;
        break;
      case "boolean":
        word = value ? "true" : "false";
        break;
      default:
        if (value !== null) {
          return null;
        }
        word = "null";
    }
    text += `${at === 0 ? "{" : ","}${keyOf(key)}${word}`;
  }
  return text === "" ? "{}" : `${text}}`;
}

// Names of arguments as JSON has them; the same few come again and again.
const keyTexts = new Map();
const MOST_KEYS = 200;

function keyOf(key) {
  const known = keyTexts.get(key);
  if (known !== undefined) {
    return known;
  }
  const text = `${quoted(key)}:`;
  if (keyTexts.size < MOST_KEYS && key.length < 100) {
    keyTexts.set(key, text);
  }
  return text;
}

/** `[text, tooLarge]`: a value as JSON text, or a description where it has more than `limit` bytes. */
function encode(value, limit) {
  if (typeof value === "number" && value - value === 0 && !(limit < 32)) {
    return [`${value}`, false];
  }
  try {
    let text;
    let bytes;
    try {
      text = new Walk(limit, false).text(value, 0);
      bytes = limit === undefined || text.length * 3 <= limit ? 0 : utf8Length(text);
    } catch (error) {
      if (!(error instanceof TooLarge)) {
        throw error;
      }
      text = new Walk(PREVIEW * 4, true).text(value, 0);
      bytes = error.bytes;
    }
    if (bytes <= (limit ?? Infinity)) {
      return [text, false];
    }
    const preview = toWellFormed(text.slice(0, PREVIEW));
    return [`{"$type":"too_large","bytes":${bytes},"limit":${limit},"preview":${quote(preview)}}`, true];
  } catch (error) {
    if (isOutOfMemory(error)) {
      throw error;
    }
    try {
      return [described(value), false];
    } catch {
      return ['{"$type":"object","repr":"<cannot be shown>"}', false];
    }
  }
}
