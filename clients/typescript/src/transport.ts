// Sends requests, and tries again where that was asked for; follows streams.

import { ApiError, ConnectionFailed, TimedOut, UnexpectedAnswer, type TidegateError } from "./errors.js";
import { askEventOf, isLast, type AskEvent } from "./asking.js";
import { Decoder, eventOf, type Message, type RunEvent } from "./events.js";

/** How a client behaves. */
export interface Options {
  /** What `tidegate token create` printed. */
  token?: string;
  /** Seconds an answer may take that waits for no program; 60 unless given. */
  timeout?: number;
  /** Seconds an answer may take that waits for one; 280 unless given. Node gives up by itself after 300. */
  runTimeout?: number;
  /** How often a request is sent again that the gateway cannot take now (429, or 503 with `Retry-After`); 0 unless given. */
  retries?: number;
  /** Seconds that are waited for at most before it is sent again; 60 unless given. */
  longestWait?: number;
  /** Another `fetch`. */
  fetch?: typeof fetch;
  /** Another `WebSocket`, for `chat`. */
  WebSocket?: typeof WebSocket;
}

/** One request. */
export interface Ask {
  method: string;
  path: string;
  params?: { [name: string]: string | number | boolean | null | undefined };
  json?: unknown;
  content?: Uint8Array;
  headers?: { [name: string]: string };
  /** Whether its answer comes when a program has ended. */
  isRun?: boolean;
  signal?: AbortSignal | undefined;
  /** Whether 503 may be an answer, about the gateway's health. */
  isHealth?: boolean;
}

/** Seconds without a byte after which a stream counts as cut; the gateway says every 15 that it is there. */
const ALIVE = 60;
/** How often a stream or a chat that was cut is opened again before anything new has come. */
export const REOPENED = 5;

export class Transport {
  readonly url: string;
  #token: string | undefined;
  #options: Options;

  constructor(url: string, options: Options) {
    const parsed = new URL(url);
    if (!/^https?:$/.test(parsed.protocol)) throw new TypeError("the address of a gateway begins with http:// or https://");
    if (parsed.username || parsed.password) throw new TypeError("the address of a gateway has no name and password; pass `token`");
    const { token, ...rest } = options;
    // What it is instead is not said: it may be the token and a line end.
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) throw new TypeError("a token is printable ASCII without blanks");
    this.url = parsed.href.replace(/\/+$/, "");
    this.#token = token;
    this.#options = rest;
  }

  /** Asks; the answer is one of success. */
  async send(ask: Ask, isStream = false): Promise<Response> {
    for (let tried = 0; ; tried += 1) {
      const response = await this.#sent(ask, isStream);
      if (response.ok) return response;
      const text = await response.text().catch(() => "");
      if (ask.isHealth && response.status === 503 && !errorIn(text)) return new Response(text, { status: 200 });
      const error = problem(response, text);
      const wait = error.retryAfter;
      const mayRetry = tried < (this.#options.retries ?? 0) && (error.status === 429 || error.status === 503);
      if (!mayRetry || wait === null || wait > (this.#options.longestWait ?? 60)) throw error;
      await pause(wait, ask.signal);
    }
  }

  /** Asks, and reads the object that is the answer. */
  async told<T>(ask: Ask): Promise<{ status: number; answer: T }> {
    const response = await this.send(ask);
    const answer = await jsonOf(response);
    if (!isObject(answer)) throw new UnexpectedAnswer(`the answer (${response.status}) is no object; is this a gateway?`);
    return { status: response.status, answer: answer as T };
  }

  /** Asks, and reads the model that is the answer. */
  async json<T>(ask: Ask): Promise<T> {
    return (await this.told<T>(ask)).answer;
  }

  /** Asks, and reads the list of this name in the answer. */
  async listed<T>(name: string, ask: Ask): Promise<T[]> {
    const list = (await this.told<{ [name: string]: unknown }>(ask)).answer[name];
    if (!Array.isArray(list) || !list.every(isObject)) throw new UnexpectedAnswer(`\`${name}\` of the answer is no list of objects`);
    return list as T[];
  }

  /** Asks, and reads the answer's bytes. */
  async bytes(ask: Ask): Promise<Uint8Array> {
    const response = await this.send(ask);
    try {
      return new Uint8Array(await response.arrayBuffer());
    } catch (error) {
      throw told(error);
    }
  }

  /** Seconds that something may take which waits for no program. */
  get timeout(): number {
    return this.#options.timeout ?? 60;
  }

  /** Begins to open a WebSocket. */
  socket(path: string): WebSocket {
    const Socket = this.#options.WebSocket ?? globalThis.WebSocket;
    if (Socket === undefined) throw new TypeError("there is no WebSocket here; Node has one from version 22 on, or pass another as `WebSocket`");
    const address = this.url.replace(/^http/, "ws") + path;
    if (this.#token === undefined) return new Socket(address);
    // Node, Deno and Bun take headers where browsers take the names of protocols.
    const given = { headers: { Authorization: `Bearer ${this.#token}` } };
    try {
      return new Socket(address, given as unknown as string[]);
    } catch {
      throw new TypeError("the WebSocket of a browser cannot send a token; ask with `askStream`, or pass another as `WebSocket`");
    }
  }

  async #sent(ask: Ask, isStream: boolean): Promise<Response> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(ask.params ?? {})) {
      if (value !== undefined && value !== null) query.set(name, String(value));
    }
    const address = this.url + ask.path + (query.size > 0 ? `?${query}` : "");
    const headers = new Headers(ask.headers);
    if (ask.json !== undefined) headers.set("Content-Type", "application/json");
    if (this.#token !== undefined) headers.set("Authorization", `Bearer ${this.#token}`);
    const signals = isStream ? [] : [AbortSignal.timeout(1000 * this.#patience(ask))];
    if (ask.signal) signals.push(ask.signal);
    const body = ask.json !== undefined ? JSON.stringify(ask.json) : ask.content;
    try {
      return await (this.#options.fetch ?? fetch)(address, {
        method: ask.method,
        headers,
        // Elsewhere is somebody else, who has no business with the token.
        redirect: "manual",
        ...(body === undefined ? {} : { body: body as NonNullable<RequestInit["body"]> }),
        ...(signals.length > 0 ? { signal: AbortSignal.any(signals) } : {}),
      });
    } catch (error) {
      if (ask.signal?.aborted) throw error;
      throw told(error);
    }
  }

  #patience(ask: Ask): number {
    const usual = this.timeout;
    if (!ask.isRun) return usual;
    const wanted = Number((ask.json as { timeout?: number } | undefined)?.timeout ?? 0);
    return Math.max(this.#options.runTimeout ?? 280, wanted + usual);
  }
}

/** Events, one after the other, until the last one. Leaving the loop, or `close`, stops listening. */
export abstract class Stream<E> implements AsyncIterable<E> {
  #transport: Transport;
  #ask: Ask;
  #canReopen: boolean;
  #stop = new AbortController();

  constructor(transport: Transport, ask: Ask, canReopen: boolean) {
    this.#transport = transport;
    this.#canReopen = canReopen;
    const signal = ask.signal ? AbortSignal.any([ask.signal, this.#stop.signal]) : this.#stop.signal;
    this.#ask = { ...ask, signal };
  }

  /** What should have come first. */
  protected abstract readonly end: string;

  /** The event that a message tells. */
  protected abstract read(message: Message): E;

  /** Whether nothing comes after it. */
  protected abstract isLast(event: E): boolean;

  /** Stops listening: cancels a run that `stream` started and a question, and leaves a run alone that `follow` follows. */
  close(): void {
    this.#stop.abort();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<E> {
    let last: string | null = null;
    for (let cuts = 0; ; cuts += 1) {
      let cut: unknown = new ConnectionFailed(`the stream ended before ${this.end}`);
      try {
        const headers = { ...this.#ask.headers, ...(last === null ? {} : { "Last-Event-ID": last }) };
        const response = await this.#transport.send({ ...this.#ask, headers }, true);
        for await (const message of messages(response)) {
          cuts = 0;
          last = message.id ?? last;
          const event = this.read(message);
          yield event;
          if (this.isLast(event)) return;
        }
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        if (!(error instanceof ConnectionFailed || error instanceof TimedOut)) throw error;
        cut = error;
      } finally {
        if (!this.#canReopen) this.close();
      }
      if (!this.#canReopen || cuts >= REOPENED) throw cut;
      await pause(0.1 * 2 ** cuts, this.#ask.signal);
    }
  }
}

/** What happens in a run, one event after the other, until it has ended. */
export class Events extends Stream<RunEvent> {
  protected readonly end = "the run did";

  protected read(message: Message): RunEvent {
    return eventOf(message);
  }

  protected isLast(event: RunEvent): boolean {
    return event.event === "end";
  }
}

/** What happens while a question is answered, until its answer or why there is none. */
export class Steps extends Stream<AskEvent> {
  protected readonly end = "the answer came";

  protected read(message: Message): AskEvent {
    return askEventOf(message);
  }

  protected isLast(event: AskEvent): boolean {
    return isLast(event);
  }
}

async function* messages(response: Response) {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new Decoder();
  try {
    for (;;) {
      const { done, value } = await alive(reader.read());
      if (done) return;
      yield* decoder.feed(value);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** What was read, unless nothing came for too long. */
async function alive<T>(reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut(`nothing came for ${ALIVE} s`)), 1000 * ALIVE);
  });
  try {
    return await Promise.race([reading, late]);
  } catch (error) {
    throw told(error);
  } finally {
    clearTimeout(timer);
  }
}

/** A name as one part of a path. Names that would lead elsewhere are refused: they are taken out of a path on its way. */
export function segment(name: string): string {
  if (name === "" || name === "." || name === "..") throw new TypeError(`"${name}" is not the name of anything`);
  return encodeURIComponent(name);
}

/** A file's path below `/workspace`, as parts of a path. */
export function filePath(path: string): string {
  return path.replace(/^\/workspace\//, "").split("/").map(segment).join("/");
}

/** An answer's JSON. */
export async function jsonOf(response: Response): Promise<unknown> {
  let text;
  try {
    text = await response.text();
  } catch (error) {
    throw told(error);
  }
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    throw new UnexpectedAnswer(`the answer (${response.status}) is no JSON; is this a gateway?`);
  }
}

/** The gateway's words about what went wrong, unless they are a proxy's or those of something that is no gateway. */
function errorIn(text: string): { [name: string]: unknown } | null {
  try {
    const error: unknown = JSON.parse(text)?.error;
    return isObject(error) ? error : null;
  } catch {
    return null;
  }
}

function problem(response: Response, text: string): ApiError {
  const error = errorIn(text) ?? { code: "http_error", message: `status ${response.status} ${response.statusText}`.trim() };
  const hint = typeof error.hint === "string" ? error.hint : null;
  const after = retryAfter(response.headers.get("retry-after"));
  return new ApiError(response.status, String(error.code), String(error.message), hint, after);
}

function retryAfter(given: string | null): number | null {
  if (given === null) return null;
  if (/^\d+$/.test(given.trim())) return Number(given);
  const moment = Date.parse(given);
  return Number.isNaN(moment) ? null : Math.max(0, (moment - Date.now()) / 1000);
}

function told(error: unknown): TidegateError | unknown {
  if (error instanceof TimedOut) return error;
  if (error instanceof Error && error.name === "TimeoutError") return new TimedOut("no answer in time; see `timeout` and `runTimeout`");
  if (error instanceof Error && error.name === "AbortError") return error;
  return new ConnectionFailed(error instanceof Error ? `${error.message}: ${String(error.cause ?? "")}` : String(error));
}

const isObject = (value: unknown): value is { [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, stopped) => {
    const stop = () => {
      clearTimeout(timer);
      stopped(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      done();
    }, 1000 * seconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
