// The parts of the client: runs, sessions, files, approvals, tools, servers and conversations.

import type * as m from "./models.js";
import { Events, filePath, segment, type Transport } from "./transport.js";

/** What may be said of a single request. */
export interface Asking {
  signal?: AbortSignal;
}

const BYTES = { "Content-Type": "application/octet-stream" };
const run = (id: string) => `/api/v1/runs/${segment(id)}`;
const session = (id: string) => `/api/v1/sessions/${segment(id)}`;
const file = (id: string, path: string) => `${session(id)}/files/${filePath(path)}`;

export class Part {
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

  /** Takes a run that waits out of this gateway, to go on in another. */
  takeOut(id: string): Promise<Uint8Array> {
    return this.transport.bytes({ method: "POST", path: `${run(id)}/export` });
  }

  /** Goes on with a run that another gateway exported; with `again`, with one that left from here. */
  putIn(exported: Uint8Array, options: { again?: boolean } = {}): Promise<m.Run> {
    const params = { again: options.again || undefined };
    return this.transport.json({ method: "POST", path: "/api/v1/runs/import", params, content: exported, headers: BYTES });
  }
}

/** What one program leaves for the next. */
export class Sessions extends Part {
  /** One's sessions, the last used first. */
  list(): Promise<m.Session[]> {
    return this.transport.listed("sessions", { method: "GET", path: "/api/v1/sessions" });
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
  fork(id: string, options: m.NewFork = {}): Promise<m.Session> {
    return this.transport.json({ method: "POST", path: `${session(id)}/fork`, json: options });
  }

  /** Writes a session to disk; its next use brings it back. */
  freeze(id: string): Promise<m.Session> {
    return this.transport.json({ method: "POST", path: `${session(id)}/freeze` });
  }

  /** Everything a session is. */
  export(id: string): Promise<Uint8Array> {
    return this.transport.bytes({ method: "GET", path: `${session(id)}/export` });
  }

  /** A new session that goes on from one that was exported. */
  putIn(exported: Uint8Array): Promise<m.Session> {
    return this.transport.json({ method: "POST", path: "/api/v1/sessions/import", content: exported, headers: BYTES });
  }
}

/** The files of sessions. Paths are those below `/workspace`. */
export class Files extends Part {
  /** A session's files. */
  list(id: string): Promise<m.File[]> {
    return this.transport.listed("files", { method: "GET", path: `${session(id)}/files` });
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
  list(id?: string): Promise<m.Approval[]> {
    return this.transport.listed("approvals", { method: "GET", path: "/api/v1/approvals", params: { run: id } });
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
  list(): Promise<m.ServerTools[]> {
    return this.transport.listed("servers", { method: "GET", path: "/api/v1/tools" });
  }

  /** All about one tool. */
  read(server: string, tool: string): Promise<m.Tool> {
    return this.transport.json({ method: "GET", path: `/api/v1/tools/${segment(server)}/${segment(tool)}` });
  }
}

/** Who offers the tools. */
export class Servers extends Part {
  /** How every server is doing. */
  list(): Promise<m.Server[]> {
    return this.transport.listed("servers", { method: "GET", path: "/api/v1/servers" });
  }

  /** Adds a server until the gateway ends; for administrators. */
  add(name: string, options: Omit<m.NewServer, "name">): Promise<m.Added> {
    return this.transport.json({ method: "POST", path: "/api/v1/servers", json: { ...options, name } });
  }

  /** Removes a server; for administrators. */
  async remove(name: string): Promise<void> {
    await this.transport.send({ method: "DELETE", path: `/api/v1/servers/${segment(name)}` });
  }
}

/** What was asked and answered, and what it used. Conversations begin and go on with `ask`. */
export class Conversations extends Part {
  /** One's conversations, the last used first. */
  list(): Promise<m.ConversationHeading[]> {
    return this.transport.listed("conversations", { method: "GET", path: "/api/v1/conversations" });
  }

  /** One conversation, with its turns and what all of it used. */
  read(id: string): Promise<m.Conversation> {
    return this.transport.json({ method: "GET", path: `/api/v1/conversations/${segment(id)}` });
  }
}
