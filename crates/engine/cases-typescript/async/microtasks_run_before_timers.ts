// expect: value ["sync", "micro", "then", "timer"]
const seen: string[] = [];
setTimeout(() => seen.push("timer"), 0);
queueMicrotask(() => seen.push("micro"));
Promise.resolve().then(() => seen.push("then"));
seen.push("sync");
await sleep(5);
seen
