// The client: one object for a gateway, with its parts as properties.

import type * as m from "./models.js";
import { Events, filePath, jsonOf, segment, Transport, type Options } from "./transport.js";

/** What may be said of a single request. */
export interface Asking {
  signal?: AbortSignal;
}

type Program = Omit<m.Execute, "code">;
const BYTES = { "Content-Type": "application/octet-stream" };
const run = (id: string) => `/api/v1/runs/${segment(id)}`;
const session = (id: string) => `/api/v1/sessions/${segment(id)}`;
const file = (id: string, path: string) => `${session(id)}/files/${filePath(path)}`;

/** A gateway at an address. */
export class Tidegate {
  /** Runs that are under way or over. */
  readonly runs: Runs;
  /** What one program leaves for the next. */
  readonly sessions: Sessions;
  /** The files of sessions. */
  readonly files: Files;
  /** Calls that somebody has to approve. */
  readonly approvals: Approvals;
  /** What programs can call. */
  readonly tools: Tools;
  /** Who offers the tools. */
  readonly servers: Servers;
  #transport: Transport;

  constructor(url = "http://127.0.0.1:8030", options: Options = {}) {
    this.#transport = new Transport(url, options);
    this.runs = new Runs(this.#transport);
    this.sessions = new Sessions(this.#transport);
    this.files = new Files(this.#transport);
    this.approvals = new Approvals(this.#transport);
    this.tools = new Tools(this.#transport);
    this.servers = new Servers(this.#transport);
  }

  /**
   * Runs a program and waits for its end; hanging up before cancels it. A program that fails is an answer too. One that
   * somebody has to approve calls of comes back before its end, with the status `waiting`: see `approvals`, then `runs.wait`.
   */
  async execute(code: string, options: Program = {}, asking: Asking = {}): Promise<m.Run> {
    const ask = { method: "POST", path: "/api/v1/execute", json: { ...options, code }, isRun: true, ...asking };
    const response = await this.#transport.send(ask);
    const answer = await jsonOf(response);
    return response.status === 202 ? this.runs.read((answer as m.Accepted).run_id) : (answer as m.Run);
  }

  /** Runs a program and tells what happens in it; closing before its end cancels it. */
  stream(code: string, options: Program = {}, asking: Asking = {}): Events {
    const ask = { method: "POST", path: "/api/v1/execute", params: { stream: true }, json: { ...options, code }, ...asking };
    return new Events(this.#transport, ask, false);
  }

  /** Starts a program that runs by itself; `runs.wait`, `runs.follow` and `runs.read` come back for it. */
  start(code: string, options: Program = {}): Promise<m.Accepted> {
    return this.#transport.json({ method: "POST", path: "/api/v1/execute", params: { async: true }, json: { ...options, code } });
  }

  /** Filters, groups, reshapes, validates or describes rows without a program. */
  analyze(analysis_type: m.AnalysisType, data: m.Analysis["data"], options: Omit<m.Analysis, "analysis_type" | "data"> = {}): Promise<m.Run> {
    return this.#transport.json({ method: "POST", path: "/api/v1/analysis", json: { ...options, analysis_type, data }, isRun: true });
  }

  /** Says what a program could do, without running it. */
  validate(code: string, options: Omit<m.Validate, "code"> = {}): Promise<m.Validated> {
    return this.#transport.json({ method: "POST", path: "/api/v1/validate", json: { ...options, code } });
  }

  /** What runs cost and saved. */
  stats(session?: string): Promise<m.Stats> {
    return this.#transport.json({ method: "GET", path: "/api/v1/stats", params: { session } });
  }

  /** Whether the gateway answers. */
  health(): Promise<m.Health> {
    return this.#transport.json({ method: "GET", path: "/health" });
  }

  /** Whether programs can run (`status` is `ready` or `degraded`), and how the servers are doing. */
  ready(): Promise<m.Health> {
    return this.#transport.json({ method: "GET", path: "/health/ready", also: 503 });
  }

  /** Asks for something that has no method here, and reads its JSON. */
  request(method: string, path: string, json?: unknown): Promise<unknown> {
    if (!path.startsWith("/")) throw new TypeError("a path begins with /");
    return this.#transport.json({ method, path, json });
  }
}

class Part {
  protected transport!: Transport;

  constructor(transport: Transport) {
    // Not shown to whoever prints a client.
    Object.defineProperty(this, "transport", { value: transport, enumerable: false });
  }
}

/** Runs that are under way or over. */
export class Runs extends Part {
  /** Runs, the latest first; `next_before` leads to earlier ones. */
  page(wanted: { session?: string; status?: m.RunStatus; limit?: number; before?: string } = {}): Promise<m.Runs> {
    return this.transport.json({ method: "GET", path: "/api/v1/runs", params: wanted });
  }

  /** Every run, the latest first, asked for page by page as they are wanted. */
  async *list(wanted: { session?: string; status?: m.RunStatus; limit?: number } = {}): AsyncGenerator<m.RunSummary> {
    let before: string | undefined;
    for (;;) {
      const page = await this.page({ ...wanted, ...(before === undefined ? {} : { before }) });
      yield* page.runs;
      if (!page.next_before || page.next_before === before) return;
      before = page.next_before;
    }
  }

  /** One run, with its source and all of its value. */
  read(id: string): Promise<m.Run> {
    return this.transport.json({ method: "GET", path: run(id) });
  }

  /** What happens in a run. A connection that is cut is made again, and nothing is missed or told twice. */
  follow(id: string, asking: Asking = {}): Events {
    return new Events(this.transport, { method: "GET", path: `${run(id)}/events`, ...asking }, true);
  }

  /** The run when it has ended, however long that takes. */
  async wait(id: string, asking: Asking = {}): Promise<m.Run> {
    for await (const event of this.follow(id, asking)) {
      if (event.event === "end") return event.run;
    }
    return this.read(id);
  }

  /** Ends a run. */
  cancel(id: string): Promise<m.Cancelled> {
    return this.transport.json({ method: "POST", path: `${run(id)}/cancel` });
  }

  /** A part of what a run returned or printed, also where its answer was cut. */
  result(
    id: string,
    wanted: { of?: "value" | "stdout" | "stderr" | "error"; pointer?: string; offset?: number; limit?: number } = {},
  ): Promise<m.ResultPage> {
    return this.transport.json({ method: "GET", path: `${run(id)}/result`, params: wanted });
  }

  /** The content of a file that a run produced. */
  artifact(id: string, name: string): Promise<Uint8Array> {
    return this.transport.bytes({ method: "GET", path: `${run(id)}/artifacts/${segment(name)}` });
  }
}

/** What one program leaves for the next. */
export class Sessions extends Part {
  /** One's sessions, the last used first. */
  async list(): Promise<m.Session[]> {
    return (await this.transport.json<m.Sessions>({ method: "GET", path: "/api/v1/sessions" })).sessions;
  }

  /** Makes a session. */
  create(options: m.NewSession = {}): Promise<m.Session> {
    return this.transport.json({ method: "POST", path: "/api/v1/sessions", json: options });
  }

  /** One session. */
  read(id: string): Promise<m.Session> {
    return this.transport.json({ method: "GET", path: session(id) });
  }

  /** Removes a session with its state and its files. */
  async remove(id: string): Promise<void> {
    await this.transport.send({ method: "DELETE", path: session(id) });
  }

  /** Makes a second session that starts from where this one is. */
  fork(id: string): Promise<m.Session> {
    return this.transport.json({ method: "POST", path: `${session(id)}/fork` });
  }

  /** Writes a session to disk; its next use brings it back. */
  freeze(id: string): Promise<m.Session> {
    return this.transport.json({ method: "POST", path: `${session(id)}/freeze` });
  }
}

/** The files of sessions. Paths are those below `/workspace`. */
export class Files extends Part {
  /** A session's files. */
  async list(id: string): Promise<m.File[]> {
    return (await this.transport.json<m.Files>({ method: "GET", path: `${session(id)}/files` })).files;
  }

  /** Puts a file there, in place of one that may be there. Text is written as UTF-8. */
  async upload(id: string, path: string, content: Uint8Array | string): Promise<void> {
    const sent = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await this.transport.send({ method: "PUT", path: file(id, path), content: sent, headers: BYTES });
  }

  /** The content of a file. */
  download(id: string, path: string): Promise<Uint8Array> {
    return this.transport.bytes({ method: "GET", path: file(id, path) });
  }

  /** Takes a file away. */
  async remove(id: string, path: string): Promise<void> {
    await this.transport.send({ method: "DELETE", path: file(id, path) });
  }
}

/** Calls that somebody has to approve. Answers need a token with the scope `approve`. */
export class Approvals extends Part {
  /** What waits, one question for each tool of each run. */
  async list(id?: string): Promise<m.Approval[]> {
    return (await this.transport.json<m.Approvals>({ method: "GET", path: "/api/v1/approvals", params: { run: id } })).approvals;
  }

  /** Lets a run make its calls: all that wait, or `items`, or those of `tool`. */
  approve(id: string, options: Omit<m.ApprovalAnswer, "decision"> = {}): Promise<m.Answered> {
    return this.answer(id, { ...options, decision: "approve" });
  }

  /** Refuses calls of a run, with a `reason` for the program. */
  deny(id: string, options: Omit<m.ApprovalAnswer, "decision"> = {}): Promise<m.Answered> {
    return this.answer(id, { ...options, decision: "deny" });
  }

  /** Answers calls of a run that wait. */
  answer(id: string, answer: m.ApprovalAnswer): Promise<m.Answered> {
    return this.transport.json({ method: "POST", path: `/api/v1/approvals/${segment(id)}`, json: answer });
  }
}

/** What programs can call. */
export class Tools extends Part {
  /** Finds tools by a few words, a name or a task; all of them if the query is empty. */
  search(query = "", wanted: { detail_level?: m.DetailLevel; limit?: number; server?: string } = {}): Promise<m.FoundTools> {
    return this.transport.json({ method: "GET", path: "/api/v1/mcp/tools/search", params: { query, ...wanted } });
  }

  /** Every tool, by server. */
  async list(): Promise<m.ServerTools[]> {
    return (await this.transport.json<m.AllTools>({ method: "GET", path: "/api/v1/tools" })).servers;
  }

  /** All about one tool. */
  read(server: string, tool: string): Promise<m.Tool> {
    return this.transport.json({ method: "GET", path: `/api/v1/tools/${segment(server)}/${segment(tool)}` });
  }
}

/** Who offers the tools. */
export class Servers extends Part {
  /** How every server is doing. */
  async list(): Promise<m.Server[]> {
    return (await this.transport.json<m.Servers>({ method: "GET", path: "/api/v1/servers" })).servers;
  }
}
