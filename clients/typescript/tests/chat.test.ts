// Conversations over one connection: streamed, cancelled, lost and taken up again, by two users at once.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ChatRefused, ConnectionFailed, Tidegate, type AskEvent, type Chat } from "../src/index.js";
import { gateway, needed } from "./gateway.js";

const gate = gateway();
const STEPS = ["started", "searching", "found", "program", "running", "output"];

const steps = (told: AskEvent[]) => told.flatMap((one) => (one.event === "step" ? [one.name] : []));
const words = (told: AskEvent[]) => told.flatMap((one) => (one.event === "words" ? [one.text] : []));

async function all(events: AsyncIterable<AskEvent>): Promise<AskEvent[]> {
  const told = [];
  for await (const event of events) told.push(event);
  return told;
}

function answerOf(told: AskEvent[]) {
  const last = told.at(-1);
  assert.ok(last?.event === "answer", JSON.stringify(last));
  return last.answer;
}

async function using<T>(chat: Chat, body: (chat: Chat) => Promise<T>): Promise<T> {
  try {
    return await body(chat);
  } finally {
    chat.close();
  }
}

test("a conversation goes on over one connection", async () => {
  const conversation = await using(gate.chat(), async (chat) => {
    const told = await all(chat.ask("How much is it?", { context: { factor: 4 } }));
    const first = answerOf(told);
    assert.deepEqual([steps(told), words(told).join(""), first.answer], [STEPS, "It is 42.", "It is 42."]);
    assert.ok(words(told).length > 1);
    assert.deepEqual(told.find((one) => one.event === "step" && one.name === "output"), {
      event: "step",
      name: "output",
      data: { stream: "stdout", text: "looking\n" },
    });
    const second = answerOf(await all(chat.ask("And now?")));
    assert.deepEqual([second.conversation, second.totals.tokens], [first.conversation, 480]);
    assert.equal(chat.conversation, first.conversation);
    return first.conversation;
  });
  const kept = await gate.conversations.read(conversation);
  assert.deepEqual(kept.turns.map((turn) => turn.question), ["How much is it?", "And now?"]);
  const third = await using(gate.chat(conversation), async (chat) => answerOf(await all(chat.ask("And then?"))));
  assert.equal(third.totals.tokens, 720);
});

test("a connection that is lost is made again and nothing is missed", async () => {
  const sockets: WebSocket[] = [];
  const Kept = class extends WebSocket {
    constructor(...given: ConstructorParameters<typeof WebSocket>) {
      super(...given);
      sockets.push(this);
    }
  };
  await using(gateway({ WebSocket: Kept }).chat(), async (chat) => {
    const told: AskEvent[] = [];
    for await (const event of chat.ask("How much is it?")) {
      told.push(event);
      if (event.event === "step" && ["started", "program"].includes(event.name)) sockets.at(-1)!.close();
    }
    assert.deepEqual([steps(told), words(told).join("")], [STEPS, "It is 42."]);
    assert.equal(answerOf(told).answer, "It is 42.");
  });
  assert.ok(sockets.length > 1, "it was not lost");
});

test("somebody else takes a conversation up where it was left", async () => {
  const left = gate.chat();
  const began: AskEvent[] = [];
  for await (const event of left.ask("How much is it?")) if (began.push(event) === 2) break;
  left.close();
  assert.deepEqual(steps(began), STEPS.slice(0, 2));
  await using(gate.chat(), async (chat) => {
    await chat.resume(left.conversation!, 2);
    const told = await all(chat.events());
    assert.deepEqual([steps(told), answerOf(told).answer], [STEPS.slice(2), "It is 42."]);
    const { turns, totals } = await chat.resume(left.conversation!, 10_000);
    assert.deepEqual([turns.length, turns[0]?.answer, totals.tokens], [1, "It is 42.", 240]);
  });
});

test("a question is cancelled and another one asked", async () => {
  await using(gate.chat(), async (chat) => {
    const told: AskEvent[] = [];
    for await (const event of chat.ask("Linger on this.")) {
      told.push(event);
      if (event.event === "step" && event.name === "output") await chat.cancel();
    }
    const last = told.at(-1);
    assert.ok(last?.event === "error" && last.code === "cancelled");
    // There is nothing any more, which is no news.
    await chat.cancel();
    assert.equal(answerOf(await all(chat.ask("How much is it?"))).answer, "It is 42.");
  });
});

test("a connection that is lost between two questions is made again", async () => {
  const sockets: WebSocket[] = [];
  const Kept = class extends WebSocket {
    constructor(...given: ConstructorParameters<typeof WebSocket>) {
      super(...given);
      sockets.push(this);
    }
  };
  await using(gateway({ WebSocket: Kept }).chat(), async (chat) => {
    await all(chat.ask("How much is it?"));
    const lost = new Promise((done) => sockets[0]!.addEventListener("close", done));
    sockets[0]!.close();
    await lost;
    assert.equal(answerOf(await all(chat.ask("And now?"))).totals.tokens, 480);
  });
  assert.equal(sockets.length, 2);
});

test("a question that somebody left comes to its end before the next", async () => {
  await using(gate.chat(), async (chat) => {
    for await (const _ of chat.ask("How much is it?")) break;
    assert.equal(answerOf(await all(chat.ask("And now?"))).totals.tokens, 480);
    for (const isLost of [false, true]) {
      for await (const event of chat.ask("Linger on this.")) if (event.event === "step" && event.name === "output") break;
      if (isLost) chat.close();
      await chat.cancel();
      assert.equal(answerOf(await all(chat.ask("And then?"))).answer, "It is 42.");
    }
  });
});

test("two users ask at once and hear nothing of each other", async () => {
  const others = gateway({ token: needed("AGENT_TOKEN") });
  await using(gate.chat(), (first) =>
    using(others.chat(), async (second) => {
      const lasting = first.ask("Linger on this.");
      assert.equal((await lasting.next()).value?.event, "step");
      const answer = answerOf(await all(second.ask("How much is it?")));
      assert.deepEqual([answer.conversation, answer.conversation === first.conversation], [second.conversation, false]);
      const isUnknown = (error: unknown) => error instanceof ChatRefused && error.code === "unknown_conversation";
      await assert.rejects(second.resume(first.conversation!), isUnknown);
      await first.cancel();
      const last = (await all(lasting)).at(-1);
      assert.ok(last?.event === "error" && last.code === "cancelled");
    }),
  );
});

test("what is refused says why and the chat goes on", async () => {
  await using(gate.chat(), async (chat) => {
    const isInvalid = (error: unknown) => error instanceof ChatRefused && error.code === "invalid_request" && error.message.includes("`model`");
    await assert.rejects(all(chat.ask("How much?", { model: "dearer" })), isInvalid);
    assert.equal(answerOf(await all(chat.ask("How much?"))).answer, "It is 42.");
    const last = (await all(chat.ask("Refuse this."))).at(-1);
    assert.ok(last?.event === "error" && last.code === "model_refused");
  });
});

test("who may not come in, or finds nobody, is told so without the token", async () => {
  for (const one of [gateway({ token: "tgt_wrong" }), new Tidegate("http://127.0.0.1:9", { token: "tgt_wrong" })]) {
    await assert.rejects(all(one.chat().ask("How much?")), (error) => error instanceof ConnectionFailed && !String(error).includes("tgt_wrong"));
  }
});

test("a WebSocket that cannot send a token is not given it", async () => {
  // As browsers have it: what is no name of a protocol is refused.
  const Strict = class extends WebSocket {
    constructor(address: string | URL, protocols?: string | string[]) {
      if (protocols !== undefined && typeof protocols !== "string" && !Array.isArray(protocols)) throw new DOMException("no protocol", "SyntaxError");
      super(address, protocols);
    }
  };
  await assert.rejects(all(gateway({ WebSocket: Strict }).chat().ask("How much?")), /cannot send a token/);
});
