// Addresses: URL and URLSearchParams, as far as programs take them apart and put them together.

const PORTS = { __proto__: null, "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21" };
const ADDRESS = /^([a-zA-Z][a-zA-Z0-9+.-]*:)(?:\/\/(?:([^/?#@]*)@)?(\[[^\]]*\]|[^/?#:]*)(?::(\d*))?)?([^?#]*)(\?[^#]*)?(#.*)?$/s;
const escaped = (text, kept) => toWellFormed(text).replace(kept, letter => encodeURIComponent(letter) === letter ? `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}` : encodeURIComponent(letter));
const formed = text => encodeURIComponent(toWellFormed(text)).replace(/%20/g, "+").replace(/[!'()~]/g, letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

function unformed(text) {
  const spaced = text.replace(/\+/g, " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced.replace(/(?:%[0-9a-f]{2})+/gi, run => host.utf8(textOf(Uint8Array.from(run.slice(1).split("%"), one => parseInt(one, 16)))));
  }
}

class URLSearchParamsClass {
  #pairs = [];
  #changed = null;

  constructor(given = "", changed = null) {
    if (typeof given === "string") {
      const text = given.startsWith("?") ? given.slice(1) : given;
      for (const part of text.split("&")) {
        if (part !== "") {
          const at = part.indexOf("=");
          this.#pairs.push(at < 0 ? [unformed(part), ""] : [unformed(part.slice(0, at)), unformed(part.slice(at + 1))]);
        }
      }
    } else if (given !== null && given !== undefined) {
      const pairs = typeof given[Symbol.iterator] === "function" ? [...given] : Object.entries(given);
      this.#pairs = pairs.map(([name, value]) => [String(name), String(value)]);
    }
    this.#changed = typeof changed === "function" ? changed : null;
  }

  #tell() {
    this.#changed?.(this.toString());
  }

  get size() {
    return this.#pairs.length;
  }

  append(name, value) {
    this.#pairs.push([String(name), String(value)]);
    this.#tell();
  }

  delete(name, value) {
    this.#pairs = this.#pairs.filter(([one, other]) => one !== String(name) || (value !== undefined && other !== String(value)));
    this.#tell();
  }

  get(name) {
    return this.#pairs.find(([one]) => one === String(name))?.[1] ?? null;
  }

  getAll(name) {
    return this.#pairs.filter(([one]) => one === String(name)).map(([, value]) => value);
  }

  has(name, value) {
    return this.#pairs.some(([one, other]) => one === String(name) && (value === undefined || other === String(value)));
  }

  set(name, value) {
    const at = this.#pairs.findIndex(([one]) => one === String(name));
    if (at < 0) {
      this.#pairs.push([String(name), String(value)]);
    } else {
      this.#pairs[at] = [String(name), String(value)];
      this.#pairs = this.#pairs.filter(([one], index) => index <= at || one !== String(name));
    }
    this.#tell();
  }

  sort() {
    this.#pairs.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
    this.#tell();
  }

  forEach(function_, self) {
    for (const [name, value] of this.#pairs) {
      apply(function_, self, [value, name, this]);
    }
  }

  *entries() {
    yield* this.#pairs.map(([name, value]) => [name, value]);
  }

  *keys() {
    yield* this.#pairs.map(([name]) => name);
  }

  *values() {
    yield* this.#pairs.map(([, value]) => value);
  }

  [Symbol.iterator]() {
    return this.entries();
  }

  toString() {
    return this.#pairs.map(([name, value]) => `${formed(name)}=${formed(value)}`).join("&");
  }

  [ADOPTED]() {
    return this.toString();
  }
}

class URLClass {
  #parts;
  #parameters = null;

  constructor(address, base) {
    const text = String(address).trim().replace(/[\t\r\n]/g, "");
    const parts = read(text) ?? (base === undefined ? null : joined(text, new URLClass(base)));
    if (parts === null) {
      const error = new TypeError(`Invalid URL: ${quoted(text)}`);
      error.code = "ERR_INVALID_URL";
      throw error;
    }
    this.#parts = parts;
  }

  static canParse(address, base) {
    return URLClass.parse(address, base) !== null;
  }

  static parse(address, base) {
    try {
      return new URLClass(address, base);
    } catch {
      return null;
    }
  }

  #set(part, value) {
    this.#parts[part] = value;
    if (part === "search") {
      this.#parameters = null;
    }
  }

  get href() {
    const { protocol, username, password, host: place, pathname, search, hash, hasHost } = { ...this.#parts, host: this.host };
    const login = username || password ? `${username}${password ? `:${password}` : ""}@` : "";
    return `${protocol}${hasHost ? `//${login}${place}` : ""}${pathname}${search}${hash}`;
  }

  get origin() {
    return this.#parts.protocol in PORTS ? `${this.#parts.protocol}//${this.host}` : "null";
  }

  get protocol() {
    return this.#parts.protocol;
  }

  set protocol(value) {
    this.#set("protocol", `${String(value).replace(/:.*$/, "").toLowerCase()}:`);
  }

  get username() {
    return this.#parts.username;
  }

  set username(value) {
    this.#set("username", encodeURIComponent(value));
  }

  get password() {
    return this.#parts.password;
  }

  set password(value) {
    this.#set("password", encodeURIComponent(value));
  }

  get hostname() {
    return this.#parts.hostname;
  }

  set hostname(value) {
    this.#set("hostname", String(value).toLowerCase());
  }

  get port() {
    return this.#parts.port;
  }

  set port(value) {
    this.#set("port", String(value) === PORTS[this.protocol] ? "" : String(value));
  }

  get host() {
    return this.#parts.hostname + (this.#parts.port === "" ? "" : `:${this.#parts.port}`);
  }

  set host(value) {
    const [, name, port = ""] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(String(value)) ?? [null, String(value)];
    this.hostname = name;
    this.port = port;
  }

  get pathname() {
    return this.#parts.pathname;
  }

  set pathname(value) {
    const text = String(value);
    this.#set("pathname", cleanPath(this.#parts.hasHost && !text.startsWith("/") ? `/${text}` : text));
  }

  get search() {
    return this.#parts.search;
  }

  set search(value) {
    const text = String(value).replace(/^\?/, "");
    this.#set("search", text === "" ? "" : `?${cleanQuery(text)}`);
  }

  get hash() {
    return this.#parts.hash;
  }

  set hash(value) {
    const text = String(value).replace(/^#/, "");
    this.#set("hash", text === "" ? "" : `#${cleanHash(text)}`);
  }

  get searchParams() {
    this.#parameters ??= new URLSearchParamsClass(this.#parts.search, text => {
      this.#parts.search = text === "" ? "" : `?${text}`;
    });
    return this.#parameters;
  }

  toString() {
    return this.href;
  }

  toJSON() {
    return this.href;
  }

  [ADOPTED]() {
    return this.href;
  }
}

const cleanQuery = text => escaped(text, /[^\x21\x24-\x26\x28-\x3b\x3d\x3f-\x7e]/gu);
const cleanHash = text => escaped(text, /[^\x21\x23-\x3b\x3d\x3f-\x5f\x61-\x7e]/gu);

function cleanPath(path) {
  const text = escaped(path, /[^\x21\x24-\x3b\x3d\x40-\x5f\x61-\x7a\x7c\x7e]/gu);
  if (!text.startsWith("/")) {
    return text;
  }
  const parts = [];
  const all = text.slice(1).split("/");
  all.forEach((part, at) => {
    if (part === "..") {
      parts.pop();
    } else if (part !== ".") {
      parts.push(part);
      return;
    }
    if (at === all.length - 1) {
      parts.push("");
    }
  });
  return `/${parts.join("/")}`;
}

function read(text) {
  const match = exec(ADDRESS, text);
  if (match === null) {
    return null;
  }
  const [, scheme, login, name, port = "", path, query = "", mark = ""] = match;
  const protocol = scheme.toLowerCase();
  const hasHost = name !== undefined;
  if (protocol in PORTS && (!hasHost || name === "" || /[\s<>^|%\\]/.test(name) || Number(port) > 65_535)) {
    return null;
  }
  const [username = "", ...rest] = (login ?? "").split(":");
  return {
    protocol,
    username: escaped(username, /[^\x21\x24-\x39\x41-\x5a\x5f\x61-\x7a\x7e%]/gu),
    password: escaped(rest.join(":"), /[^\x21\x24-\x39\x41-\x5a\x5f\x61-\x7a\x7e%]/gu),
    hasHost,
    hostname: (name ?? "").toLowerCase(),
    port: port === PORTS[protocol] ? "" : port === "" ? "" : String(Number(port)),
    pathname: cleanPath(hasHost && path === "" && protocol in PORTS ? "/" : path),
    search: query === "" || query === "?" ? "" : `?${cleanQuery(query.slice(1))}`,
    hash: mark === "" || mark === "#" ? "" : `#${cleanHash(mark.slice(1))}`,
  };
}

/** An address relative to another. */
function joined(text, base) {
  if (text.startsWith("//")) {
    return read(base.protocol + text);
  }
  const root = base.href.slice(0, base.href.length - base.pathname.length - base.search.length - base.hash.length);
  if (text === "") {
    return read(root + base.pathname + base.search);
  }
  if (text.startsWith("#")) {
    return read(root + base.pathname + base.search + text);
  }
  if (text.startsWith("?")) {
    return read(root + base.pathname + text);
  }
  return read(root + (text.startsWith("/") ? text : base.pathname.replace(/[^/]*$/, "") + text));
}
