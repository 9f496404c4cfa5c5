// Sessions and their files, approvals, tools, servers, and what is told of the gateway itself.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError, textOf, valueOf } from "../src/index.js";
import { DEVICES, gateway, needed } from "./gateway.js";

const gate = gateway();

test("a session keeps variables until it is removed", async () => {
  const { session } = await gate.execute("x = 20");
  assert.equal(valueOf(await gate.execute("return x + 1", { session })), 21);
  assert.ok((await gate.sessions.list()).some((one) => one.id === session));
  await gate.sessions.remove(session);
  await assert.rejects(gate.sessions.read(session), (error) => error instanceof ApiError && [404, 410].includes(error.status));
});

test("a fork goes its own way", async () => {
  const { session } = await gate.execute("x = 1");
  const fork = (await gate.sessions.fork(session)).id;
  assert.equal((await gate.sessions.fork(session, { agent: "worker-1" })).agent, "worker-1");
  await gate.execute("x = 2", { session: fork });
  assert.equal(valueOf(await gate.execute("return x", { session })), 1);
});

test("a session is frozen, exported and put in", async () => {
  const { session } = await gate.execute("x = 5");
  assert.equal((await gate.sessions.freeze(session)).id, session);
  const copy = (await gate.sessions.putIn(await gate.sessions.export(session))).id;
  assert.notEqual(copy, session);
  assert.equal(valueOf(await gate.execute("return x", { session: copy })), 5);
});

test("files go in and come out as they are", async () => {
  const session = (await gate.sessions.create()).id;
  const [content, name] = [new Uint8Array([97, 0, 255, 13, 10]), "with blank/ü?#%.bin"];
  await gate.files.upload(session, name, content);
  await gate.files.upload(session, "/workspace/text.txt", "grün");
  assert.deepEqual(await gate.files.download(session, name), content);
  assert.equal(valueOf(await gate.execute("return open('/workspace/text.txt').read()", { session })), "grün");
  assert.deepEqual((await gate.files.list(session)).map((one) => one.path).sort(), ["text.txt", name].sort());
  await gate.files.remove(session, name);
  assert.deepEqual((await gate.files.list(session)).map((one) => one.path), ["text.txt"]);
  const isGone = (error: unknown) => error instanceof ApiError && error.status === 404 && error.code === "unknown_file";
  await assert.rejects(gate.files.download(session, name), isGone);
});

for (const path of ["", "..", "a/../b", "a//b"]) {
  test(`a path that leads elsewhere is not sent: "${path}"`, async () => {
    await assert.rejects(async () => gate.files.remove("s_any", path), /is not the name of anything/);
  });
}

test("a call is approved and the program goes on", async () => {
  const run = await gate.execute(DEVICES);
  assert.match(textOf(run), /approve 1 of its calls \(data\.get_devices\)/);
  const [question, ...more] = await gate.approvals.list(run.run_id);
  assert.ok(question && more.length === 0);
  assert.deepEqual([question.tool, question.count, question.rule], ["data.get_devices", 1, "devices"]);
  const answered = await gate.approvals.approve(run.run_id, { items: [question.items[0]!.id] });
  assert.deepEqual([answered.answered, answered.left], [{ "data.get_devices": 1 }, 0]);
  assert.equal(valueOf(await gate.runs.wait(run.run_id)), true);
  assert.deepEqual(await gate.approvals.list(run.run_id), []);
});

test("a call is denied with a reason for the program", async () => {
  const run = await gate.execute(DEVICES);
  await gate.approvals.deny(run.run_id, { reason: "not on a Sunday" });
  const ended = await gate.runs.wait(run.run_id);
  assert.equal(ended.error?.type, "PolicyError");
  assert.match(ended.error.message, /not on a Sunday/);
});

test("tools are found, listed and described", async () => {
  const found = await gate.tools.search("devices of the house", { detail_level: "full", limit: 1, server: "data" });
  assert.deepEqual(found.tools.map((one) => one.name), ["get_devices"]);
  assert.ok((await gate.tools.list()).some((one) => one.server === "data"));
  assert.equal((await gate.tools.read("data", "get_devices")).name, "get_devices");
});

test("a server is added and removed", async () => {
  const added = await gate.servers.add("more", { command: needed("TIDEGATE"), args: ["example-server", "data"] });
  assert.equal(added.name, "more");
  assert.deepEqual((await gate.servers.list()).map((one) => one.name).sort(), ["data", "more"]);
  await gate.servers.remove("more");
  assert.deepEqual((await gate.servers.list()).map((one) => one.name), ["data"]);
});

test("the gateway tells of itself", async () => {
  await gate.execute("return 1");
  assert.equal((await gate.health()).status, "ok");
  assert.equal((await gate.ready()).status, "ready");
  assert.ok((await gate.stats()).total_executions > 0);
  assert.match(await gate.metrics(), /tidegate_runs/);
  assert.ok((await gate.securityReport({ since: new Date(Date.now() - 3_600_000) })).runs > 0);
  const tools = (await gate.request("GET", "/api/v1/tools")) as { servers: { server: string }[] };
  assert.ok(tools.servers.some((one) => one.server === "data"));
});
