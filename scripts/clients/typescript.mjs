// The TypeScript SDKs as clients: list, call, stream, cancel; over stdio and HTTP.
//
// SDK=sdk is @modelcontextprotocol/sdk 1, SDK=client is @modelcontextprotocol/client 2. TIDEGATE is the
// program, URL the address of a running `tidegate serve`; variables that start with TIDEGATE_ are handed on.

const which = process.env.SDK ?? "sdk";
const old = which === "sdk";
const { Client, Stdio, Http } = old ? await first() : await second();

async function first() {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  return { Client, Stdio: StdioClientTransport, Http: StreamableHTTPClientTransport };
}

async function second() {
  const all = await import("@modelcontextprotocol/client");
  const Stdio = all.StdioClientTransport ?? (await import("@modelcontextprotocol/client/stdio")).StdioClientTransport;
  return { Client: all.Client, Stdio, Http: all.StreamableHTTPClientTransport };
}

const passedOn = Object.fromEntries(
  Object.entries(process.env).filter(([key]) => key.startsWith("TIDEGATE_") || key === "PATH" || key === "HOME"),
);
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
let failed = 0;

function check(good, what, more = "") {
  console.log(good ? "ok    " : "FAILED", what, more);
  if (!good) failed += 1;
}

async function uses(door, mode) {
  const name = `${which}, ${door}, ${mode.pin ?? mode}:`;
  const client = new Client({ name: "test", version: "1" }, mode === "default" ? {} : { versionNegotiation: { mode } });
  const transport = door === "stdio"
    ? new Stdio({ command: process.env.TIDEGATE, args: ["mcp"], env: passedOn })
    : new Http(new URL(process.env.URL));
  await client.connect(transport);
  // Both SDKs hold every result against the output schema that was listed.
  const tools = (await client.listTools()).tools.map((tool) => tool.name).sort();
  check(tools.join() === "execute_python,search_tools", `${name} list`, tools.join());
  const call = (tool, args, options) => old
    ? client.callTool({ name: tool, arguments: args }, undefined, options)
    : client.callTool({ name: tool, arguments: args }, options);
  const run = async (args, options) => {
    for (;;) {
      const result = await call("execute_python", args, options);
      if (!result.content[0].text.includes("being installed")) return result;
      await pause(1000);
    }
  };

  const begun = await run({ code: "x = 20\nreturn x * 2 + n", context: { n: 2 } });
  check(begun.structuredContent.return_value === 42, `${name} call`);
  const session = begun.structuredContent.session;
  const next = await run({ code: "return x + 1", session });
  check(next.structuredContent.return_value === 21, `${name} go on`);
  const found = await call("search_tools", { query: "devices", detail_level: "full" });
  check(found.content[0].text.includes("get_devices"), `${name} search`);
  const wrong = await run({ code: "return 1 / zero", context: { zero: 0 } });
  check(wrong.isError === true, `${name} error`);

  let told = "";
  const ticks = "import asyncio\nfor i in range(3):\n    print('tick', i)\n    await asyncio.sleep(0.3)\nreturn 'done'";
  await run({ code: ticks }, { onprogress: (progress) => { told += progress.message; } });
  check(told === "tick 0\ntick 1\ntick 2\n", `${name} stream`, JSON.stringify(told));

  // Were the program not stopped, it would change `x` before anybody else had a turn.
  const stop = new AbortController();
  setTimeout(() => stop.abort("test"), 2000);
  const loop = "import time\nend = time.time() + 20\nwhile time.time() < end: pass\nx = 77";
  await run({ code: loop, session }, { signal: stop.signal }).catch(() => {});
  const left = await run({ code: "return x", session });
  check(left.structuredContent.return_value === 20, `${name} cancel`);
  await client.close();
}

const modes = old ? ["default"] : ["default", "legacy", "auto", { pin: "2026-07-28" }];
for (const door of ["stdio", "http"]) {
  for (const mode of modes) {
    await uses(door, mode).catch((error) => check(false, `${which}, ${door}, ${JSON.stringify(mode)}: broke off`, error?.stack));
  }
}
process.exit(failed ? 1 : 0);
