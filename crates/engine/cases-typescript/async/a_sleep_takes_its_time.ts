// expect: value [true, "done"]
const begun = performance.now();
await sleep(30);
[performance.now() - begun >= 29, "done"]
