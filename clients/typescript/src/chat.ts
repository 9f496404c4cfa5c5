// A conversation over a WebSocket: questions in, what happens out; taken up again where the connection is lost.

import { chatEventOf, isLast, type AskEvent } from "./asking.js";
import { ChatRefused, ConnectionFailed, TimedOut, UnexpectedAnswer } from "./errors.js";
import type * as m from "./models.js";
import { pause, REOPENED, type Transport } from "./transport.js";

type Question = Omit<m.Ask, "question">;
type Told = { [name: string]: unknown } & { type: string };

/** What was said in a conversation before it was taken up again. */
export interface History {
  /** The latest last. */
  turns: { question: string; answer: string; at: number; tokens: number; cost: number }[];
  /** What all of it used. */
  totals: m.ConversationTotals;
  /** Whether a question of it is being answered, or just was: its events come next. */
  follows: boolean;
}

/**
 * One conversation, and the connection that it goes on over. The first question begins it, and the next ones go on with
 * it. A question that is under way when the connection is lost is not: the connection is made again, and what was missed
 * is told. One question at a time is answered.
 */
export class Chat {
  /** What it is called, once it has begun. */
  conversation: string | undefined;
  #transport: Transport;
  #line: Line | undefined;
  #seen = 0;
  #isBegun = false;

  constructor(transport: Transport, conversation?: string) {
    this.#transport = transport;
    this.conversation = conversation;
  }

  /**
   * Asks, and tells each step and each word until the answer, or why there is none. What cannot be asked throws
   * `ChatRefused`. Whoever leaves before the end goes on with `events`, or cancels.
   */
  async *ask(question: string, options: Question = {}): AsyncGenerator<AskEvent> {
    const known = this.conversation === undefined ? {} : { conversation: this.conversation };
    [this.#seen, this.#isBegun] = [0, false];
    await this.#say({ ...known, ...options, type: "ask", question });
    yield* this.events();
  }

  /** What happens until the question that is under way is over. */
  async *events(): AsyncGenerator<AskEvent> {
    for (let lost = 0; ; ) {
      let told;
      try {
        if (lost > 0) await this.#takeUp();
        told = await this.#hear();
      } catch (error) {
        if (!(error instanceof ConnectionFailed)) throw error;
        this.close();
        lost += 1;
        // Nobody knows whether a question was heard of which nothing has come yet.
        if (!this.#isBegun || lost > REOPENED) throw error;
        await pause(0.1 * 2 ** lost);
        continue;
      }
      lost = 0;
      // What was to be cancelled had just come to its end.
      if (told.type === "refused" && told.code === "nothing_to_cancel") continue;
      if (told.type === "refused") throw refused(told);
      const event = this.#event(told);
      yield event;
      if (isLast(event)) return;
    }
  }

  /** Ends the question that is under way; `events` then ends with an `error`. */
  cancel(): Promise<void> {
    return this.#say({ type: "cancel" });
  }

  /** Takes a conversation up again: what was said in it; then `events` tells what came after so many events. */
  async resume(conversation: string, after = 0): Promise<History> {
    await this.#say({ type: "resume", conversation, after });
    const told = await this.#hear();
    if (told.type === "refused") throw refused(told);
    if (told.type !== "history") throw new UnexpectedAnswer(`the chat was to be taken up, and \`${told.type}\` came`);
    this.conversation = conversation;
    [this.#seen, this.#isBegun] = [after, true];
    const { turns, totals, follows = true } = told as unknown as History;
    return { turns, totals, follows };
  }

  /** Hangs up. A question that is being answered goes on, and can be taken up again. */
  close(): void {
    this.#line?.close();
    this.#line = undefined;
  }

  async #takeUp(): Promise<void> {
    const { follows } = await this.resume(this.conversation ?? "", this.#seen);
    if (follows) return;
    this.#isBegun = false;
    throw new ConnectionFailed("the gateway has forgotten the question; ask it again");
  }

  #event(told: Told): AskEvent {
    const { conversation, seq } = told;
    if (typeof conversation !== "string" || typeof seq !== "number") {
      throw new UnexpectedAnswer(`a message \`${told.type}\` of the chat has no \`conversation\` and no number \`seq\``);
    }
    this.conversation = conversation;
    [this.#seen, this.#isBegun] = [seq + 1, true];
    return chatEventOf(told);
  }

  async #say(message: object): Promise<void> {
    (await this.#open()).send(JSON.stringify(message));
  }

  async #hear(): Promise<Told> {
    const text = await (await this.#open()).next();
    let told;
    try {
      told = JSON.parse(text);
    } catch {
      throw new UnexpectedAnswer("a message of the chat is no JSON");
    }
    if (typeof told?.type !== "string") throw new UnexpectedAnswer("a message of the chat is no object with a `type`");
    return told;
  }

  async #open(): Promise<Line> {
    this.#line ??= await Line.open(this.#transport.socket("/ws/chat"), this.#transport.timeout);
    return this.#line;
  }
}

const refused = (told: Told) => new ChatRefused(String(told.code), String(told.message));

/** A connection whose messages wait until somebody wants them. */
class Line {
  #socket: WebSocket;
  #ready: string[] = [];
  #lost: ConnectionFailed | undefined;
  #wake: () => void = () => {};

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      this.#ready.push(String(data));
      this.#wake();
    });
    socket.addEventListener("close", ({ code, reason }) => {
      this.#lost ??= new ConnectionFailed(`the gateway hung up (${code}${reason ? `: ${reason}` : ""})`);
      this.#wake();
    });
  }

  /** The connection once it is there. */
  static async open(socket: WebSocket, seconds: number): Promise<Line> {
    const line = new Line(socket);
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      await new Promise<void>((done, failed) => {
        socket.addEventListener("open", () => done(), { once: true });
        const words = "the connection was not made: the gateway cannot be reached, or the token may not run programs";
        socket.addEventListener("error", () => failed(new ConnectionFailed(words)), { once: true });
        timer = setTimeout(() => failed(new TimedOut("no connection in time; see `timeout`")), 1000 * seconds);
      });
    } catch (error) {
      socket.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
    return line;
  }

  send(text: string): void {
    if (this.#lost) throw this.#lost;
    this.#socket.send(text);
  }

  /** The next message. */
  async next(): Promise<string> {
    for (;;) {
      const text = this.#ready.shift();
      if (text !== undefined) return text;
      if (this.#lost) throw this.#lost;
      await new Promise<void>((done) => (this.#wake = done));
    }
  }

  close(): void {
    this.#lost ??= new ConnectionFailed("this end has hung up");
    this.#socket.close();
    this.#wake();
  }
}
