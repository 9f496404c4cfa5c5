// What the client does about answers that a gateway gives rarely, and about those of something else.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";

import { ApiError, ConnectionFailed, Tidegate, UnexpectedAnswer, type Options, type RunEvent } from "../src/index.js";
import { Decoder } from "../src/events.js";

const URL_ = "http://gate.example";
const BUSY = { error: { code: "too_many_requests", message: "as many wait as may", hint: "later" } };
const END = 'event: end\ndata: {"run_id": "r_1", "success": true}\n\n';

function gate(answer: (request: Request) => Response, options: Options = {}): Tidegate {
  const fetch = async (url: string | URL | Request, init?: RequestInit) => answer(new Request(url, init));
  return new Tidegate(URL_, { fetch, longestWait: 5, ...options });
}

const busy = (status: number, after: string) =>
  new Response(JSON.stringify(BUSY), { status, headers: { "Retry-After": after } });

test("a busy gateway is asked again as often as was said", async () => {
  let asked = 0;
  const answer = () => ((asked += 1) < 3 ? busy(429, "0") : Response.json({ sessions: [] }));
  assert.deepEqual(await gate(answer, { retries: 2 }).sessions.list(), []);
  asked = 0;
  await assert.rejects(gate(answer, { retries: 1 }).sessions.list(), (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.hint, error.retryAfter], ["too_many_requests", "later", 0]);
    return true;
  });
  assert.equal(asked, 2);
});

test("a stream is asked for again as well", async () => {
  let asked = 0;
  const told: RunEvent[] = [];
  const client = gate(() => ((asked += 1) === 1 ? busy(503, "0") : new Response(END)), { retries: 1 });
  for await (const event of client.stream("return 1")) told.push(event);
  assert.deepEqual(told.map((one) => one.event), ["end"]);
});

test("what should wait longer than was said is not asked again", async () => {
  let asked = 0;
  const client = gate(() => ((asked += 1), busy(503, "3600")), { retries: 9 });
  await assert.rejects(client.sessions.list(), (error) => error instanceof ApiError && error.retryAfter === 3600);
  assert.equal(asked, 1);
});

test("whoever waits to ask again can give up", async () => {
  const stop = new AbortController();
  const client = gate(() => (setTimeout(() => stop.abort(), 10), busy(503, "5")), { retries: 1 });
  await assert.rejects(client.execute("return 1", {}, { signal: stop.signal }), { name: "AbortError" });
});

test("a stream that is cut goes on where it was", async () => {
  const seen: (string | null)[] = [];
  const told: RunEvent[] = [];
  const client = gate((request) => {
    seen.push(request.headers.get("last-event-id"));
    if (seen.length === 1) return new Response('id: 4\nevent: output\ndata: {"stream": "stdout", "text": "a"}\n\n');
    return new Response(`id: 5\nevent: new\ndata: 7\n\n${END}`);
  });
  for await (const event of client.runs.follow("r_1")) told.push(event);
  assert.deepEqual(told.slice(0, 2), [
    { event: "output", stream: "stdout", text: "a" },
    { event: "other", name: "new", data: 7 },
  ]);
  assert.equal(told[2]?.event, "end");
  assert.deepEqual(seen, [null, "4"]);
});

test("a program whose stream is cut is not run again", async () => {
  let asked = 0;
  const client = gate(() => ((asked += 1), new Response('event: output\ndata: {"stream": "stdout", "text": "a"}\n\n')));
  const all = async () => {
    for await (const event of client.stream("return 1")) assert.equal(event.event, "output");
  };
  await assert.rejects(all, (error) => error instanceof ConnectionFailed && /before the run did/.test(error.message));
  assert.equal(asked, 1);
});

test("a redirect is not followed with the token", async () => {
  const asked: unknown[] = [];
  const client = gate(
    (request) => {
      asked.push([request.redirect, request.headers.get("authorization")]);
      return new Response(null, { status: 307, headers: { Location: "http://elsewhere.example/" } });
    },
    { token: "tgt_x" },
  );
  await assert.rejects(client.sessions.list(), (error) => error instanceof ApiError && error.status === 307);
  assert.deepEqual(asked, [["manual", "Bearer tgt_x"]]);
});

for (const body of ["<html>", "[]", "{}", '{"sessions": 1}', '{"sessions": [1]}']) {
  test(`what is no gateway's answer is said to be none: ${body}`, async () => {
    await assert.rejects(gate(() => new Response(body)).sessions.list(), UnexpectedAnswer);
  });
}

test("an error that is none of a gateway's is one with its status", async () => {
  const client = gate(() => new Response('{"error": null}', { status: 502 }));
  await assert.rejects(client.health(), (error) => error instanceof ApiError && error.status === 502 && error.code === "http_error");
});

test("a gateway that is not there is said to be away", async () => {
  await assert.rejects(new Tidegate("http://127.0.0.1:1").health(), ConnectionFailed);
});

test("a gateway that cannot run programs says how it is, and one that is busy does not", async () => {
  const client = gate(() => Response.json({ status: "not_ready", version: "1", protocol: "1" }, { status: 503 }));
  assert.equal((await client.ready()).status, "not_ready");
  await assert.rejects(gate(() => busy(503, "1")).ready(), ApiError);
});

test("a token is not shown", () => {
  const client = new Tidegate(URL_, { token: "tgt_secret" });
  assert.doesNotMatch(inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client), /tgt_secret/);
  assert.throws(() => new Tidegate(URL_, { token: "tgt_secret\n" }), (error: Error) => {
    assert.match(error.message, /printable ASCII/);
    return !error.message.includes("tgt_secret");
  });
});

for (const url of ["gate.example", "ftp://gate.example", "http://me:word@gate.example"]) {
  test(`an address that is none of a gateway is refused: ${url}`, () => {
    assert.throws(() => new Tidegate(url), TypeError);
  });
}

for (const size of [1, 2, 3, 1000]) {
  test(`events are the same in pieces of ${size} bytes`, () => {
    const stream = new TextEncoder().encode(
      ": still there\r\n\r\nid: 1\r\nevent: a\r\ndata: ü\u2028\r\ndata: x\r\n\r\ndata: y\n\n\revent: z\r\r",
    );
    const decoder = new Decoder();
    const told = [];
    for (let at = 0; at < stream.length; at += size) told.push(...decoder.feed(stream.slice(at, at + size)));
    const wanted = [
      { event: "a", data: "ü\u2028\nx", id: "1" },
      { event: "message", data: "y", id: "1" },
    ];
    assert.deepEqual(told, wanted);
  });
}
