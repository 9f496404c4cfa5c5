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
 * is told. One question at a time is answered: whoever asks the next one before the end of the last first waits for that, or
 * cancels it.
 */
export class Chat {
  /** What it is called, once it has begun. */
  conversation: string | undefined;
  #transport: Transport;
  #line: Line | undefined;
  #seen = 0;
  #isBegun = false;
  #isOpen = false;
  #isCancelled = false;
  #isHeard = false;

  constructor(transport: Transport, conversation?: string) {
    this.#transport = transport;
    this.conversation = conversation;
  }

  /**
   * Asks, and tells each step and each word until the answer, or why there is none. What cannot be asked throws
   * `ChatRefused`. Whoever leaves before the end goes on with `events`, or cancels.
   */
  async *ask(question: string, options: Question = {}): AsyncGenerator<AskEvent> {
    if (this.#isOpen) await this.#end();
    const known = this.conversation === undefined ? {} : { conversation: this.conversation };
    [this.#seen, this.#isBegun, this.#isCancelled] = [0, false, false];
    await this.#begin({ ...known, ...options, type: "ask", question });
    this.#isOpen = true;
    yield* this.events();
  }

  /** What happens until the question that is under way is over. */
  async *events(): AsyncGenerator<AskEvent> {
    for (;;) {
      const told = await this.#told().finally(() => (this.#isHeard = false));
      // What was to be cancelled had just come to its end.
      if (told.type === "refused" && told.code === "nothing_to_cancel") continue;
      if (told.type === "refused") {
        this.#isOpen = false;
        throw refused(told);
      }
      const event = this.#event(told);
      this.#isOpen = !isLast(event);
      yield event;
      if (isLast(event)) return;
    }
  }

  /** Ends the question that is under way; `events` then ends with an `error`. */
  async cancel(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isCancelled = true;
    try {
      if (this.#line !== undefined) return await this.#say({ type: "cancel" });
    } catch (error) {
      if (!(error instanceof ConnectionFailed)) throw error;
    }
    // Whoever hears the question takes it up again, and says so then.
    if (this.#isHeard) return;
    this.close();
    await this.#takeUp();
  }

  /** Takes a conversation up again: what was said in it; then `events` tells what came after so many events. */
  async resume(conversation: string, after = 0): Promise<History> {
    this.#isCancelled = false;
    return this.#resume(conversation, after);
  }

  async #resume(conversation: string, after: number): Promise<History> {
    // What another question still tells over the line is no answer to this.
    this.close();
    await this.#say({ type: "resume", conversation, after });
    const told = await this.#hear();
    if (told.type === "refused") throw refused(told);
    if (told.type !== "history") throw new UnexpectedAnswer(`the chat was to be taken up, and \`${told.type}\` came`);
    this.conversation = conversation;
    [this.#seen, this.#isBegun] = [after, true];
    const { turns, totals, follows = true } = told as unknown as History;
    this.#isOpen = follows;
    return { turns, totals, follows };
  }

  /** Hangs up. A question that is being answered goes on, and can be taken up again. */
  close(): void {
    this.#line?.close();
    this.#line = undefined;
  }

  /** The next message of the question, which is taken up again where the line was lost. */
  async #told(): Promise<Told> {
    this.#isHeard = true;
    for (let lost = 1; ; lost += 1) {
      try {
        if (this.#line === undefined) await this.#takeUp();
        return await this.#hear();
      } catch (error) {
        if (!(error instanceof ConnectionFailed)) throw error;
        this.close();
        // Nobody knows whether a question was heard of which nothing has come yet.
        if (!this.#isBegun || lost > REOPENED) {
          this.#isOpen = false;
          throw error;
        }
        await pause(0.1 * 2 ** lost);
      }
    }
  }

  /** Hears the question before to its end, of which somebody has left. */
  async #end(): Promise<void> {
    try {
      for await (const _ of this.events());
    } catch (error) {
      if (!(error instanceof ChatRefused || error instanceof ConnectionFailed)) throw error;
      // It has no end, and the next one is asked all the same.
      this.close();
    }
  }

  async #takeUp(): Promise<void> {
    if (this.conversation === undefined || !this.#isBegun) {
      throw new ConnectionFailed("no question is under way that could be taken up; ask one");
    }
    const { follows } = await this.#resume(this.conversation, this.#seen);
    if (!follows) {
      this.#isBegun = false;
      throw new ConnectionFailed("the gateway has forgotten the question; ask it again");
    }
    if (this.#isCancelled) await this.#say({ type: "cancel" });
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

  /** Says what nobody has heard before, also where the line was lost while nobody used it. */
  async #begin(message: object): Promise<void> {
    const wasOpen = this.#line !== undefined;
    try {
      await this.#say(message);
    } catch (error) {
      if (!wasOpen || !(error instanceof ConnectionFailed)) throw error;
      this.close();
      await this.#say(message);
    }
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
