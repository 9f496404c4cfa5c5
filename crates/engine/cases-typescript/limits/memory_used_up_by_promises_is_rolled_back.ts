// expect: value 1
// limits: {"memory_mib": 32}
let keep = 1;
keep
// --- next
// expect: limit memory
// note: rolled back
// limits: {"memory_mib": 32}
keep = 2;
async function poll(): Promise<void> {
  await null;
  return poll();
}
await poll();
// --- next
// expect: limit memory
// note: rolled back
// limits: {"memory_mib": 32}
keep = 3;
const held: any[] = [];
const more = (): any => {
  held.push(Promise.resolve().then(more), Promise.resolve().then(more));
};
await more();
await new Promise(() => {});
// --- next
// expect: value [1, 8388608]
// limits: {"memory_mib": 32}
[keep, new Uint8Array(8 << 20).length]
