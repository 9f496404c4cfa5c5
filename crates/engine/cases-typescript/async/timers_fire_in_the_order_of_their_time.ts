// expect: value ["a", "b", "c"]
// freeze: true
const seen: string[] = [];
setTimeout(() => seen.push("c"), 30);
setTimeout(x => seen.push(x), 5, "a");
setTimeout(() => seen.push("b"), 15);
await sleep(60);
seen
