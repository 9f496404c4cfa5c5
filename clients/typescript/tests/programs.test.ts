// Programs: run, followed, started and come back for.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError, ProgramFailed, textOf, TimedOut, valueOf, type RunEvent } from "../src/index.js";
import { DEVICES, FOREVER, gateway, needed } from "./gateway.js";

const gate = gateway();
const HISTORY = "from servers.data import query_device_history\nreturn len(await query_device_history('power_00', limit=3)) > 0";

test("a program gives its value and what it printed", async () => {
  const run = await gate.execute("print('seen')\nreturn {'sum': n + 1}", { context: { n: 41 } });
  assert.deepEqual(valueOf(run), { sum: 42 });
  assert.deepEqual([run.status, run.stdout], ["succeeded", "seen\n"]);
  assert.match(textOf(run), /^\{"sum":42\}\n\nstdout:\nseen\n\nsession: s_/);
});

test("a program that fails is an answer", async () => {
  const run = await gate.execute("return {}[name]", { context: { name: "missing" } });
  assert.deepEqual([run.success, run.status, run.error?.type], [false, "failed", "KeyError"]);
  assert.match(textOf(run), /^KeyError at line 1: 'missing'/);
  assert.throws(() => valueOf(run), (error) => error instanceof ProgramFailed && error.run === run);
});

test("a stream tells what happens in its order", async () => {
  const told: RunEvent[] = [];
  for await (const event of gate.stream(`print('one\\u2028two')\n${HISTORY}`)) told.push(event);
  assert.equal(told[0]?.event, "status");
  assert.deepEqual(told.flatMap((one) => (one.event === "output" ? [one.text] : [])), ["one\u2028two\n"]);
  const names = told.map((one) => one.event);
  assert.ok(names.indexOf("call") < names.indexOf("call_end"));
  const call = told.find((one) => one.event === "call_end");
  assert.ok(call?.event === "call_end" && call.call.tool === "query_device_history" && call.call.ok === true);
  const last = told.at(-1);
  assert.ok(last?.event === "end" && valueOf(last.run) === true);
});

test("leaving a stream cancels its program", async () => {
  let id = "";
  for await (const event of gate.stream(FOREVER)) {
    if (event.event === "status") id = event.run_id;
    if (event.event === "output") break;
  }
  assert.equal((await gate.runs.wait(id)).status, "cancelled");
});

test("closing a stream ends whoever listens", async () => {
  const events = gate.stream(FOREVER);
  let id = "";
  for await (const event of events) {
    if (event.event === "status") id = event.run_id;
    if (event.event === "output") events.close();
  }
  assert.equal((await gate.runs.wait(id)).status, "cancelled");
});

test("a request that is given up cancels its program", async () => {
  const session = (await gate.sessions.create()).id;
  const stop = new AbortController();
  const running = gate.execute(FOREVER, { session }, { signal: stop.signal });
  while (!(await gate.sessions.read(session)).busy) await new Promise((done) => setTimeout(done, 20));
  stop.abort();
  await assert.rejects(running, { name: "AbortError" });
  const [run] = (await gate.runs.page({ session })).runs;
  assert.ok(run);
  assert.equal((await gate.runs.wait(run.run_id)).status, "cancelled");
});

test("an answer that takes too long is given up", async () => {
  await assert.rejects(gateway({ timeout: 0.5, runTimeout: 0.5 }).execute(FOREVER), TimedOut);
});

test("a program that runs by itself is followed from its beginning", async () => {
  const accepted = await gate.start("print('early')\nreturn 7");
  assert.equal(valueOf(await gate.runs.wait(accepted.run_id)), 7);
  const told: RunEvent[] = [];
  for await (const event of gate.runs.follow(accepted.run_id)) told.push(event);
  assert.equal(told.at(-1)?.event, "end");
});

test("leaving a run that is followed does not end it", async () => {
  const accepted = await gate.start(FOREVER);
  for await (const event of gate.runs.follow(accepted.run_id)) if (event.event === "output") break;
  assert.ok(["running", "waiting"].includes((await gate.runs.read(accepted.run_id)).status));
  assert.equal((await gate.runs.cancel(accepted.run_id)).cancelled, true);
  assert.equal((await gate.runs.wait(accepted.run_id)).status, "cancelled");
});

test("runs are listed over all pages", async () => {
  const session = (await gate.sessions.create()).id;
  const wanted: string[] = [];
  for (const number of [0, 1, 2]) {
    wanted.unshift((await gate.execute(`return ${number}`, { session })).run_id);
    // Pages are divided by the moment a run was made.
    await new Promise((done) => setTimeout(done, 10));
  }
  const listed: string[] = [];
  for await (const run of gate.runs.list({ session, limit: 1 })) listed.push(run.run_id);
  assert.deepEqual(listed, wanted);
  assert.deepEqual((await gate.runs.page({ session, status: "failed" })).runs, []);
});

test("what was cut is read in parts", async () => {
  const run = await gate.execute("return {'rows': list(range(5000))}", { max_output_tokens: 100 });
  assert.match(textOf(run), /All of it is in/);
  const part = await gate.runs.result(run.run_id, { pointer: "/rows", offset: 4998, limit: 10 });
  assert.deepEqual(part.value, [4998, 4999]);
});

test("a picture of a run can be read", async () => {
  const run = await gate.execute("import matplotlib.pyplot as plt\nplt.plot([1, 2])");
  assert.equal(run.artifacts.length, 1);
  const picture = await gate.runs.artifact(run.run_id, run.artifacts[0]!.name);
  assert.deepEqual([...picture.slice(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
});

test("a run that waits leaves and comes back", async () => {
  const run = await gate.execute(DEVICES);
  assert.equal(run.status, "waiting");
  const back = await gate.runs.putIn(await gate.runs.takeOut(run.run_id), { again: true });
  // What it asks for is asked again once it goes on here.
  for (const until = Date.now() + 30_000; (await gate.approvals.list(back.run_id)).length === 0; ) {
    assert.ok(Date.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal((await gate.approvals.approve(back.run_id)).left, 0);
  assert.equal(valueOf(await gate.runs.wait(back.run_id)), true);
});

test("what a program could do is said without running it", async () => {
  assert.notDeepEqual((await gate.validate("eval('1')")).violations, []);
});

test("rows are analyzed without a program", async () => {
  const parameters = { conditions: [{ field: "n", operator: ">", value: 1 }] };
  const run = await gate.analyze("filter", [{ n: 1 }, { n: 2 }], { parameters });
  assert.deepEqual((valueOf(run) as { result: unknown }).result, [{ n: 2 }]);
});

test("what a token may not do is an error with a code", async () => {
  const agent = gateway({ token: needed("AGENT_TOKEN") });
  const run = await agent.execute(DEVICES);
  const isRefused = (error: unknown) => error instanceof ApiError && error.status === 403 && error.code === "scope_missing";
  await assert.rejects(agent.approvals.approve(run.run_id), isRefused);
  await agent.runs.cancel(run.run_id);
});
