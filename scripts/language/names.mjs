// Prints the names that an interpreter has for its built-ins, as JSON, one sorted array.
// The same text runs in node and in a guest.

const LANGUAGE = [
  ..."AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError".split(" "),
  ..."FinalizationRegistry Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Iterator JSON Map".split(" "),
  ..."Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String".split(" "),
  ..."Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef".split(" "),
  ..."WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN".split(" "),
  ..."parseFloat parseInt undefined unescape".split(" "),
];
// Objects that no global name leads to.
const HIDDEN = {
  "%TypedArray%": Object.getPrototypeOf(Int8Array),
  "%Generator%": Object.getPrototypeOf(function* () {}).prototype,
  "%AsyncGenerator%": Object.getPrototypeOf(async function* () {}).prototype,
  "%AsyncFunction%": Object.getPrototypeOf(async function () {}).constructor,
  "%ArrayIterator%": Object.getPrototypeOf([][Symbol.iterator]()),
  "%RegExpStringIterator%": Object.getPrototypeOf("".matchAll(/a/g)),
  "%StringIterator%": Object.getPrototypeOf(""[Symbol.iterator]()),
};
// What every function has, or what strict code may not look at.
const PLAIN = new Set(["length", "name", "prototype", "arguments", "caller", "constructor"]);

const called = key => (typeof key === "symbol" ? `[${key.description}]` : `.${key}`);

function walk(path, value, found) {
  found.add(path);
  const isFunction = typeof value === "function";
  if (!isFunction && (typeof value !== "object" || value === null)) {
    return;
  }
  const add = (owner, key) => PLAIN.has(key) || found.add(owner + called(key));
  for (const key of Reflect.ownKeys(value)) {
    add(path, key);
  }
  if (isFunction && value.prototype !== undefined) {
    for (const key of Reflect.ownKeys(value.prototype)) {
      add(`${path}.prototype`, key);
    }
  }
}

const found = new Set();
for (const name of LANGUAGE) {
  if (name in globalThis) {
    walk(name, name === "globalThis" ? undefined : globalThis[name], found);
  }
}
for (const [name, value] of Object.entries(HIDDEN)) {
  walk(name, value, found);
}
console.log(JSON.stringify([...found].sort()));
