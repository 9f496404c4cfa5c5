// How values look when they are printed: as in other runtimes of this language.

const SHOWN_ITEMS = 100;
const SHOWN_TEXT = 10_000;
const WIDTH = 76;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const test = uncurried(RegExp.prototype.test);

/** A value as text. */
function inspect(value, { depth = 2 } = {}) {
  return new Inspection(depth).of(value, 0);
}

class Inspection {
  constructor(depth) {
    this.depth = depth;
    this.above = [];
  }

  of(value, level) {
    switch (typeof value) {
      case "string":
        return level === 0 ? value : this.literal(value);
      case "number":
        return Object.is(value, -0) ? "-0" : `${value}`;
      case "bigint":
        return `${value}n`;
      case "function":
        return this.callable(value);
      case "object":
        break;
      default:
        return String(value);
    }
    if (value === null) {
      return "null";
    }
    if (this.above.includes(value)) {
      return "[Circular]";
    }
    if (level > 60) {
      return "[...]";
    }
    this.above.push(value);
    try {
      return this.object(value, level);
    } catch (error) {
      if (isOutOfMemory(error)) {
        throw error;
      }
      return "[cannot be shown]";
    } finally {
      this.above.pop();
    }
  }

  literal(text) {
    const shown = text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)}... ${text.length - SHOWN_TEXT} more` : text;
    if (!shown.includes("'")) {
      return `'${quote(shown).slice(1, -1).replaceAll('\\"', '"')}'`;
    }
    return quote(shown);
  }

  callable(value) {
    const source = uncurried(Function.prototype.toString)(value);
    const kind = source.startsWith("class") ? "class" : source.startsWith("async") ? "AsyncFunction" : "Function";
    return kind === "class" ? `[class ${value.name || "(anonymous)"}]` : `[${kind}${value.name ? `: ${value.name}` : " (anonymous)"}]`;
  }

  object(value, level) {
    const name = this.nameOf(value);
    if (value instanceof Error) {
      return this.error(value, level);
    }
    if (value instanceof Date) {
      return Number.isNaN(dateTime(value)) ? "Invalid Date" : dateToISO(value);
    }
    if (value instanceof RegExp) {
      return String(value);
    }
    if (value instanceof Promise) {
      return "Promise {}";
    }
    if (ADOPTED in value && typeof value.toString === "function" && value.toString !== Object.prototype.toString) {
      return String(value);
    }
    if (level > this.depth) {
      return isArray(value) ? "[Array]" : `[${name || "Object"}]`;
    }
    if (isArray(value)) {
      return this.several("[", "]", this.items(value, value.length, level), name === "Array" ? "" : `${name}(${value.length}) `);
    }
    if (isView(value) && !(value instanceof DataView)) {
      return this.several("[", "]", this.items(value, value.length, level), `${name}(${value.length}) `);
    }
    if (value instanceof ArrayBuffer) {
      return `ArrayBuffer { byteLength: ${value.byteLength} }`;
    }
    if (value instanceof Map) {
      const parts = [];
      mapEach(value, (one, key) => parts.push(`${this.of(key, level + 1)} => ${this.of(one, level + 1)}`));
      return this.several("{", "}", this.cut(parts), `${name}(${parts.length}) `);
    }
    if (value instanceof Set) {
      const parts = [];
      setEach(value, one => parts.push(this.of(one, level + 1)));
      return this.several("{", "}", this.cut(parts), `${name}(${parts.length}) `);
    }
    if (value instanceof Number || value instanceof String || value instanceof Boolean) {
      return `[${name}: ${this.of(value.valueOf(), 1)}]`;
    }
    return this.several("{", "}", this.properties(value, level), name === "Object" ? "" : name ? `${name} ` : "[Object: null prototype] ");
  }

  nameOf(value) {
    for (let one = value; one !== null; one = getPrototypeOf(one)) {
      const own = getOwnPropertyDescriptor(one, "constructor");
      if (own !== undefined && typeof own.value === "function" && own.value.name !== "") {
        return own.value.name;
      }
    }
    return "";
  }

  error(value, level) {
    const stack = places(value).map(place => `\n    at ${place}`).join("");
    const message = String(value.message);
    const head = message ? `${value.name}: ${message}` : String(value.name);
    const more = keysOf(value).filter(key => key !== "name" && key !== "message" && key !== "stack" && key !== "cause");
    let text = head + stack;
    if (value.cause !== undefined && level < 5) {
      text += `\n  [cause]: ${this.of(value.cause, level + 1)}`;
    }
    if (more.length > 0 && level <= this.depth) {
      text += ` ${this.several("{", "}", this.properties(value, level, more), "")}`;
    }
    return level === 0 ? text : `[${head}]`;
  }

  items(value, length, level) {
    const parts = [];
    let holes = 0;
    const count = Math.min(length, SHOWN_ITEMS);
    for (let at = 0; at < count; at++) {
      if (isArray(value) && !(at in value)) {
        holes += 1;
        continue;
      }
      if (holes > 0) {
        parts.push(`<${holes} empty item${holes === 1 ? "" : "s"}>`);
        holes = 0;
      }
      parts.push(this.of(value[at], level + 1));
    }
    if (holes > 0) {
      parts.push(`<${holes} empty item${holes === 1 ? "" : "s"}>`);
    }
    if (length > count) {
      parts.push(`... ${length - count} more item${length - count === 1 ? "" : "s"}`);
    }
    return parts;
  }

  cut(parts) {
    return parts.length <= SHOWN_ITEMS ? parts : [...parts.slice(0, SHOWN_ITEMS), `... ${parts.length - SHOWN_ITEMS} more items`];
  }

  properties(value, level, wanted = ownKeys(value)) {
    const parts = [];
    for (const key of wanted) {
      const own = getOwnPropertyDescriptor(value, key);
      if (own === undefined || !own.enumerable) {
        continue;
      }
      const name = typeof key === "symbol" ? `[${String(key)}]` : test(IDENTIFIER, key) ? key : this.literal(key);
      const shown = own.get ? (own.set ? "[Getter/Setter]" : "[Getter]") : own.set ? "[Setter]" : this.of(own.value, level + 1);
      parts.push(`${name}: ${shown}`);
    }
    return this.cut(parts);
  }

  several(opening, closing, parts, before) {
    if (parts.length === 0) {
      return `${before}${opening}${closing}`;
    }
    const length = parts.reduce((sum, part) => sum + part.length + 2, before.length + 2);
    if (length <= WIDTH && !parts.some(part => part.includes("\n"))) {
      return `${before}${opening} ${parts.join(", ")} ${closing}`;
    }
    const lines = opening === "[" && parts.every(part => part.length <= 6) ? rows(parts) : parts;
    return `${before}${opening}\n  ${lines.map(part => part.replaceAll("\n", "\n  ")).join(",\n  ")}\n${closing}`;
  }
}

/** Short parts, several to a line. */
function rows(parts) {
  const lines = [];
  for (let at = 0; at < parts.length; at += 12) {
    lines.push(parts.slice(at, at + 12).join(", "));
  }
  return lines;
}

/** The arguments of `console.log` as one text; `%s`, `%d`, `%i`, `%f`, `%j`, `%o` in the first stand for those after it. */
function formatted(values) {
  let rest = values;
  let text = "";
  if (typeof values[0] === "string" && values.length > 1 && values[0].includes("%")) {
    let next = 1;
    text = values[0].replace(/%[sdifjoOc%]/g, mark => {
      if (mark === "%%") {
        return "%";
      }
      if (next >= values.length) {
        return mark;
      }
      const value = values[next++];
      switch (mark) {
        case "%s":
          return typeof value === "object" && value !== null ? inspect(value, { depth: 0 }) : String(value);
        case "%d":
        case "%f":
          return String(Number(value));
        case "%i":
          return String(parseInt(value, 10));
        case "%j":
          return encode(value)[0];
        case "%c":
          return "";
        default:
          return inspect(value, { depth: 4 });
      }
    });
    rest = values.slice(next);
    return [text, ...rest.map(value => inspect(value))].join(" ");
  }
  return rest.map(value => inspect(value)).join(" ");
}
