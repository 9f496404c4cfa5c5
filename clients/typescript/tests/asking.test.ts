// Questions in words, and skills: asked, followed, refused, kept.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError, valueOf, type AskEvent } from "../src/index.js";
import { gateway } from "./gateway.js";

const gate = gateway();
const isCalled = (status: number, code: string) => (error: unknown) =>
  error instanceof ApiError && error.status === status && error.code === code;

test("a question is answered with what a program found", async () => {
  const answer = await gate.ask("How much is it?", { context: { factor: 4 } });
  assert.deepEqual([answer.answer, answer.mode, answer.totals.tokens], ["It is 42.", "code", 240]);
  assert.equal((await gate.runs.read(answer.runs[0]!)).return_value, 42);
});

test("an answer may be any JSON", async () => {
  const answer = await gate.ask("Which ones?", { schema: { type: "array" } });
  assert.deepEqual(answer.value, [4, 2]);
});

test("a stream tells each step and each word", async () => {
  const told: AskEvent[] = [];
  for await (const event of gate.askStream("How much is it?")) told.push(event);
  const steps = told.flatMap((one) => (one.event === "step" ? [one.name] : []));
  assert.equal(steps[0], "started");
  assert.ok(steps.indexOf("program") < steps.indexOf("running"));
  const printed = told.find((one) => one.event === "step" && one.name === "output");
  assert.ok(printed?.event === "step");
  assert.deepEqual(printed.data, { stream: "stdout", text: "looking\n" });
  const words = told.flatMap((one) => (one.event === "words" ? [one.text] : []));
  const last = told.at(-1);
  assert.ok(last?.event === "answer" && words.length > 1);
  assert.deepEqual([last.answer.answer, words.join("")], ["It is 42.", "It is 42."]);
});

test("a question without an answer says why", async () => {
  await assert.rejects(gate.ask("Refuse this."), isCalled(422, "model_refused"));
  const told: AskEvent[] = [];
  for await (const event of gate.askStream("Refuse this.")) told.push(event);
  const last = told.at(-1);
  assert.ok(last?.event === "error" && last.code === "model_refused");
});

test("a conversation goes on and is kept with what it used", async () => {
  const first = await gate.ask("How much is it?");
  const second = await gate.ask("And now?", { conversation: first.conversation });
  const kept = await gate.conversations.read(first.conversation);
  assert.deepEqual(kept.turns.map((turn) => turn.question), ["How much is it?", "And now?"]);
  assert.deepEqual([kept.totals.tokens, kept.totals], [480, second.totals]);
  const heading = (await gate.conversations.list()).find((one) => one.id === first.conversation);
  assert.deepEqual([heading?.turns, heading?.question], [2, "And now?"]);
  await assert.rejects(gate.conversations.read(`c_${"0".repeat(32)}`), isCalled(404, "unknown_conversation"));
});

test("a skill is saved, found, called, tried and taken away", async () => {
  const source = "def twice(number: int) -> int:\n    'Twice a number.'\n    return 2 * number\n";
  const wrong = [{ arguments: { number: 4 }, expect: 9 }];
  await assert.rejects(gate.skills.save("twice", source, { examples: wrong }), isCalled(422, "skill_refused"));
  const saved = await gate.skills.save("twice", source, { examples: [{ arguments: { number: 4 }, expect: 8 }] });
  assert.deepEqual([saved.signature, saved.description], ["twice(number: int) -> int", "Twice a number."]);
  assert.equal(valueOf(await gate.execute("from skills import twice\nreturn twice(21)")), 42);
  const [found] = await gate.skills.list("twice a number", { limit: 1 });
  assert.deepEqual([found?.name, found?.uses], ["twice", 1]);
  assert.equal((await gate.skills.read("twice", { version: 1 })).source, source);
  assert.equal((await gate.skills.test("twice")).passed, true);
  await gate.skills.remove("twice");
  await assert.rejects(gate.skills.read("twice"), isCalled(404, "unknown_skill"));
});

test("where no index is named there are no packs", async () => {
  assert.deepEqual(await gate.skills.packs(), []);
  await assert.rejects(gate.skills.install("numbers"), isCalled(422, "skill_refused"));
});
