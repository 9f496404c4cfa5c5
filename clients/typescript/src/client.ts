// The client: one object for a gateway, with its parts as properties.

import { Chat } from "./chat.js";
import type * as m from "./models.js";
import { Approvals, Conversations, Files, Runs, Servers, Sessions, Tools, type Asking } from "./parts.js";
import { Skills } from "./skills.js";
import { Events, jsonOf, Steps, Transport, type Ask, type Options } from "./transport.js";

type Program = Omit<m.Execute, "code">;
type Question = Omit<m.Ask, "question">;

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
  /** Functions that programs keep and import. */
  readonly skills: Skills;
  /** What was asked and answered, and what it used. */
  readonly conversations: Conversations;
  #transport: Transport;

  constructor(url = "http://127.0.0.1:8030", options: Options = {}) {
    this.#transport = new Transport(url, options);
    this.runs = new Runs(this.#transport);
    this.sessions = new Sessions(this.#transport);
    this.files = new Files(this.#transport);
    this.approvals = new Approvals(this.#transport);
    this.tools = new Tools(this.#transport);
    this.servers = new Servers(this.#transport);
    this.skills = new Skills(this.#transport);
    this.conversations = new Conversations(this.#transport);
  }

  /**
   * Runs a program and waits for its end; hanging up before cancels it. A program that fails is an answer too. One that
   * somebody has to approve calls of comes back before its end, with the status `waiting`: see `approvals`, then `runs.wait`.
   */
  async execute(code: string, options: Program = {}, asking: Asking = {}): Promise<m.Run> {
    return this.#ran({ method: "POST", path: "/api/v1/execute", json: { ...options, code }, isRun: true, ...asking });
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

  /**
   * Asks a question in words and waits for the answer; hanging up before cancels it. `context` gives programs variables
   * that no model sees; `schema` or `template` give the answer a form. Without an answer, the error's `code` says why.
   */
  ask(question: string, options: Question = {}, asking: Asking = {}): Promise<m.Answer> {
    return this.#transport.json({ method: "POST", path: "/api/v1/ask", json: { ...options, question }, isRun: true, ...asking });
  }

  /** Asks, and tells each step and each word as they come; closing before the end cancels the question. */
  askStream(question: string, options: Question = {}, asking: Asking = {}): Steps {
    const ask = { method: "POST", path: "/api/v1/ask", params: { stream: true }, json: { ...options, question }, ...asking };
    return new Steps(this.#transport, ask, false);
  }

  /** A conversation over one connection, for questions one after the other; `close` hangs up. */
  chat(conversation?: string): Chat {
    return new Chat(this.#transport, conversation);
  }

  /** Filters, groups, reshapes, validates or describes rows without a program. */
  analyze(
    analysis_type: m.AnalysisType,
    data: m.Analysis["data"],
    options: Omit<m.Analysis, "analysis_type" | "data"> = {},
    asking: Asking = {},
  ): Promise<m.Run> {
    const json = { ...options, analysis_type, data };
    return this.#ran({ method: "POST", path: "/api/v1/analysis", json, isRun: true, ...asking });
  }

  /** Says what a program could do, without running it. */
  validate(code: string, options: Omit<m.Validate, "code"> = {}): Promise<m.Validated> {
    return this.#transport.json({ method: "POST", path: "/api/v1/validate", json: { ...options, code } });
  }

  /** What runs cost and saved. */
  stats(session?: string): Promise<m.Stats> {
    return this.#transport.json({ method: "GET", path: "/api/v1/stats", params: { session } });
  }

  /** What was refused and what met a limit; for administrators. */
  securityReport(wanted: { since?: Date; until?: Date } = {}): Promise<m.SecurityReport> {
    const params = { since: wanted.since?.toISOString(), until: wanted.until?.toISOString() };
    return this.#transport.json({ method: "GET", path: "/api/v1/security/report", params });
  }

  /** Whether the gateway answers. */
  health(): Promise<m.Health> {
    return this.#transport.json({ method: "GET", path: "/health" });
  }

  /** Whether programs can run (`status` is `ready` or `degraded`), and how the servers are doing. */
  ready(): Promise<m.Health> {
    return this.#transport.json({ method: "GET", path: "/health/ready", isHealth: true });
  }

  /** Figures in the text format of Prometheus. */
  async metrics(): Promise<string> {
    return new TextDecoder().decode(await this.#transport.bytes({ method: "GET", path: "/metrics" }));
  }

  /** Asks for something that has no method here, and reads its JSON. */
  async request(method: string, path: string, options: Pick<Ask, "params" | "json" | "signal"> = {}): Promise<unknown> {
    if (!path.startsWith("/")) throw new TypeError("a path begins with /");
    return jsonOf(await this.#transport.send({ method, path, ...options }));
  }

  /** The run when it is over, or as it is where somebody has to approve calls of it. */
  async #ran(ask: Ask): Promise<m.Run> {
    const { status, answer } = await this.#transport.told<m.Accepted | m.Run>(ask);
    return status === 202 ? this.runs.read(answer.run_id) : (answer as m.Run);
  }
}
