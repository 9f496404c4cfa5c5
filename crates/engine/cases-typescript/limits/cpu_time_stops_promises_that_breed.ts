// expect: limit cpu
// limits: {"cpu_ms": 200, "wall_ms": 5000}
async function again(): Promise<void> { await null; return again2() }
function again2() { return again() }
const spin = () => Promise.resolve().then(spin0);
const spin0 = () => { queueMicrotask(spin0) };
spin();
await new Promise(() => {});
