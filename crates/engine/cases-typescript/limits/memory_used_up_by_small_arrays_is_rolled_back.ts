// expect: value 1
// limits: {"memory_mib": 32}
let keep = 1;
keep
// --- next
// expect: limit memory
// note: rolled back
// limits: {"memory_mib": 32}
keep = 2;
const a: any[] = [];
while (true) a.push(new Array(10).fill(0));
// --- next
// expect: value [1, 8388608]
// limits: {"memory_mib": 32}
[keep, new Uint8Array(8 << 20).length]
