// Runs programs and talks to the host through the one door.
//
// Messages are those of `guest/runtime.py`. A step is several calls of `enter`: the host runs every
// job that is ready between them, until one says that there is nothing to go on with. Between two
// steps no frame is alive, so the memory is the whole of the state.

const then = uncurried(Promise.prototype.then);
const dateNow = Date.now;

const RESERVE = 256 << 10;

/** One session's programs, one after another. */
class Runtime {
  constructor() {
    this.programs = 0;
    this.waiting = new Map(); // call id -> the call
    this.fresh = []; // calls not yet told to the host
    this.dropped = []; // ids the program no longer waits for
    this.lastId = 0;
    this.isInside = false;
    this.imports = null;
    this.valueBytes = undefined;
    this.shown = null; // what is known of the servers
    this.unhandled = new Map(); // promise -> reason
    this.published = { __proto__: null }; // names of variables -> their pair
    this.program = null;
    this.reserve = null;
  }

  /** Says whether there are jobs to run, and more to do after them. */
  step() {
    if (!this.isInside) {
      return this.enter();
    }
    const { program } = this;
    if (program.isOver(this)) {
      this.finish();
      return false;
    }
    if (runDue()) {
      return true;
    }
    if (this.askAlone()) {
      return true;
    }
    const reply = this.ask();
    if (reply === null) {
      program.fail(new Deadlock("the program waits for something that nothing can bring about"));
      return true;
    }
    if (reply === "") {
      this.isInside = false;
      return false;
    }
    this.deliver(parse(reply));
    return true;
  }

  enter() {
    const message = host.door("n");
    if (message[0] === "x") {
      this.isInside = true;
      this.begin(parse(message.slice(1)));
      return true;
    }
    const { run, results } = parse(message);
    if (run === undefined) {
      this.isInside = true;
      this.deliver(results);
      return true;
    }
    this.settle(run);
    if (run.source === null) {
      return false;
    }
    this.isInside = true;
    this.begin(run.source);
    return true;
  }

  /** Takes over what holds for this program and those after it. */
  settle(run) {
    this.valueBytes = run.value_bytes;
    this.imports = run.imports;
    if (run.seed !== null && run.seed !== undefined) {
      seedChance(run.seed);
    }
    const shown = run.servers ?? null;
    if (shown !== this.shown) {
      this.shown = shown;
      modules.clear();
    }
    const context = run.context ?? null;
    if (context !== null) {
      for (const name of keysOf(context)) {
        delete this.published[name];
        setGlobal(name, context[name]);
      }
    }
  }

  begin(source) {
    this.programs += 1;
    this.reserve ??= new ArrayBuffer(RESERVE);
    for (const path of modules.keys()) {
      // What a program wrote there since is what the next one wants.
      if (path.startsWith("/workspace/")) {
        modules.delete(path);
      }
    }
    const program = (this.program = new Program(`<program ${this.programs}>`));
    program.begin(source);
  }

  /** Makes the one call there is, if there is no other and no timer: a quick answer then costs least. */
  askAlone() {
    if (this.fresh.length !== 1 || this.waiting.size !== 1 || this.dropped.length > 0 || timers.size > 0) {
      return false;
    }
    const { id, name, text } = this.fresh[0];
    this.fresh.length = 0;
    const reply = reach(`c${id} ${name}\n${text}`);
    if (reply === "") {
      return false;
    }
    const answer = parse(reply);
    this.deliverOne(id, answer[0], answer[1]);
    return true;
  }

  /** Tells the host what is wanted; null when nothing could ever come. */
  ask() {
    const wake = wakeIn();
    if (wake === null && this.waiting.size === 0) {
      return null;
    }
    const calls = this.fresh.map(({ id, name, text }) => `{"id":${id},"name":${name},"arguments":${text}}`).join(",");
    const dropped = this.dropped.join(",");
    this.fresh.length = 0;
    this.dropped.length = 0;
    return reach(`w{"calls":[${calls}],"dropped":[${dropped}],"wake":${wake === null ? "null" : wake}}`);
  }

  deliver(results) {
    for (const [id, worked, value] of results) {
      this.deliverOne(id, worked, value);
    }
  }

  deliverOne(id, worked, value) {
    const one = this.waiting.get(id);
    if (one === undefined) {
      return;
    }
    this.waiting.delete(id);
    try {
      if (worked) {
        one.resolve(one.given === null ? value : one.given(value));
      } else {
        one.reject(calledAt(failure(value), one));
      }
    } catch (error) {
      one.reject(error);
    }
  }

  finish() {
    const { program } = this;
    this.isInside = false;
    this.program = null;
    for (const kept of [timers, this.waiting]) {
      if (kept.size > 0) {
        kept.clear();
      }
    }
    this.fresh.length = 0;
    this.dropped.length = 0;
    program.publish(this.published);
    if (program.error === null && this.unhandled.size > 0) {
      program.error = { error: this.unhandled.values().next().value };
    }
    if (this.unhandled.size > 0) {
      this.unhandled.clear();
    }
    const parts = [];
    if (program.error !== null) {
      parts.push(`"error":${encode(program.described())[0]}`);
    } else if (program.result !== undefined) {
      const [text, tooLarge] = encode(program.result, this.valueBytes);
      parts.push(`"value":${text}`);
      if (tooLarge) {
        parts.push('"too_large":true');
      }
    }
    reach(`d{${parts.join(",")}}`);
  }
}

/** One program, from its text to its value. */
class Program {
  constructor(name) {
    this.name = name;
    this.unit = new Unit("/workspace/program.ts");
    this.isDone = false;
    this.error = null;
    this.result = undefined;
  }

  begin({ text, code, positions, problem }) {
    if (problem !== undefined) {
      this.fail(unreadable(problem));
      return;
    }
    remember(this.name, text, positions);
    try {
      const running = host.compile(code, this.name)(this.unit);
      then(running, value => this.returned(value), error => this.fail(error));
    } catch (error) {
      this.fail(error);
    }
  }

  async returned(value) {
    try {
      let result = value;
      if (result === undefined && this.unit.exported !== null) {
        result = this.unit.exported.value;
        // `export default function main() {…}` is meant to be run.
        if (typeof result === "function" && result.length === 0 && !isClass(result)) {
          result = result();
        }
      } else if (result === undefined && this.unit.lastOf !== null) {
        result = this.unit.lastOf();
      }
      this.result = await settled(result);
      this.isDone = true;
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error) {
    if (this.error === null) {
      this.error = { error };
    }
    if (isOutOfMemory(error) || error === null) {
      // What has been held back for this: there must be some to say so with, and to the interpreter there was not.
      current.reserve = null;
    }
    this.isDone = true;
  }

  /** Whether nothing of it is left to wait for. Intervals alone do not keep a program. */
  isOver(runtime) {
    return this.isDone && (this.error !== null || (runtime.waiting.size === 0 && !hasTimeouts()));
  }

  described() {
    const { error } = this.error;
    const problem = error instanceof SyntaxError ? error.tidegateProblem : undefined;
    if (problem === undefined) {
      return describe(error, this.name);
    }
    const { line, column, source_line, hint } = problem;
    const made = { type: "SyntaxError", message: error.message, line, column, source_line, hint: hint ?? undefined };
    const pointer = source_line === undefined ? "" : `\n    ${source_line}\n    ${" ".repeat(Math.max(0, (column ?? 1) - 1))}^`;
    made.traceback = `SyntaxError: ${error.message}${line === undefined ? "" : ` (${this.name}:${line}:${column})`}${pointer}`;
    return made;
  }

  /** Lets the next program find this one's variables. */
  publish(published) {
    const pairs = this.unit.published;
    for (const name of keysOf(pairs)) {
      const [get, set] = pairs[name];
      try {
        get();
      } catch {
        // The program ended before it came to this one.
        continue;
      }
      try {
        defineProperty(globalThis, name, { get, set, configurable: true, enumerable: true });
        published[name] = true;
      } catch {
        // The language's own, such as `undefined`.
      }
    }
  }
}

const isClass = value => uncurried(Function.prototype.toString)(value).startsWith("class");

/** A value whose promises have been waited for: itself, and those directly in an array or an object. */
async function settled(value) {
  const whole = await value;
  if (isArray(whole) && whole.some(one => one instanceof Promise)) {
    return await Promise.all(whole);
  }
  if (whole !== null && typeof whole === "object" && getPrototypeOf(whole) === Object.prototype) {
    const keys = keysOf(whole).filter(key => getOwnPropertyDescriptor(whole, key).value instanceof Promise);
    if (keys.length > 0) {
      const values = await Promise.all(keys.map(key => whole[key]));
      const made = { ...whole };
      keys.forEach((key, at) => {
        made[key] = values[at];
      });
      return made;
    }
  }
  return whole;
}

function setGlobal(name, value) {
  try {
    defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
  } catch {
    // The language's own, such as `undefined`.
  }
}

const reach = text => host.door(text);

/** Everything printed goes out at once, so that it streams. */
const print = (stream, text) => host.print(stream, toWellFormed(text));

let current = new Runtime();

/**
 * What the host calls: without anything for a step; with an error that no promise took, and `true`; or with a promise
 * that has failed, its reason, and whether somebody listens after all.
 */
function enter(given, reason, isHandled) {
  if (isHandled === undefined) {
    if (reason !== true) {
      return current.step();
    }
    current.program?.fail(given);
  } else if (isHandled) {
    current.unhandled.delete(given);
  } else {
    current.unhandled.set(given, reason);
  }
  return true;
}

/** Forgets every program; for image builds. */
function restart() {
  current = new Runtime();
  // Nobody ever writes to it, so that all guests share the image's.
  current.reserve = new ArrayBuffer(RESERVE);
  modules.clear();
  sources.clear();
  timers.clear();
  for (const name of keysOf(globalThis)) {
    if (!own.has(name)) {
      delete globalThis[name];
    }
  }
}
