// What happens in a run, as it is told while one follows.

import { UnexpectedAnswer } from "./errors.js";
import type { Call, Run, RunStatus } from "./models.js";

export type RunEvent =
  | { event: "status"; status: RunStatus; run_id: string }
  | { event: "output"; stream: "stdout" | "stderr"; text: string }
  | { event: "call"; call: Call }
  | { event: "call_end"; call: Call }
  | { event: "end"; run: Run }
  | { event: "other"; name: string; data: unknown };

/** One server-sent event. */
export interface Message {
  event: string;
  data: string;
  id: string | null;
}

/** Letters of one message, at most. */
const MOST = 256 * 1024 * 1024;

/** Puts messages together from whatever pieces they come in. Lines end at CR, LF or both, and nowhere else. */
export class Decoder {
  #text = new TextDecoder();
  #rest = "";
  #event = "";
  #data: string[] = [];
  #id: string | null = null;

  feed(piece: Uint8Array): Message[] {
    this.#rest += this.#text.decode(piece, { stream: true });
    if (this.#rest.length > MOST) throw new UnexpectedAnswer(`an event has more than ${MOST} letters`);
    // The other half of a line's end may be on the way.
    const held = this.#rest.endsWith("\r") ? "\r" : "";
    const lines = this.#rest.slice(0, this.#rest.length - held.length).split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() ?? "") + held;
    return lines.flatMap((line) => this.#line(line) ?? []);
  }

  #line(line: string): Message | undefined {
    if (line === "") return this.#complete();
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#data.push(value);
    if (name === "event") this.#event = value;
    if (name === "id") this.#id = value;
    return undefined;
  }

  #complete(): Message | undefined {
    const [data, event] = [this.#data, this.#event];
    this.#data = [];
    this.#event = "";
    return data.length > 0 ? { event: event || "message", data: data.join("\n"), id: this.#id } : undefined;
  }
}

/** The event that a message of the stream tells. */
export function eventOf(message: Message): RunEvent {
  let data;
  try {
    data = JSON.parse(message.data);
  } catch {
    throw new UnexpectedAnswer(`an event \`${message.event}\` is no JSON`);
  }
  switch (message.event) {
    case "status":
    case "output":
      return { ...data, event: message.event };
    case "call":
    case "call_end":
      return { event: message.event, call: data };
    case "end":
      return { event: "end", run: data };
    default:
      return { event: "other", name: message.event, data };
  }
}
