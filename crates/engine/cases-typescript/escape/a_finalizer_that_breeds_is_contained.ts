// expect: contained
// limits: {"cpu_ms": 1000, "wall_ms": 3000}
const registry = new FinalizationRegistry(() => { registry.register({}, 0) });
for (let i = 0; i < 1000; i++) registry.register({}, i);
await sleep(1);
1
