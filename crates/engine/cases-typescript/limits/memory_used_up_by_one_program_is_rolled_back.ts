// expect: value 1
// limits: {"memory_mib": 32}
let keep = 1;
keep
// --- next
// expect: raised InternalError: out of memory
// hint: memory-bytes
// note: rolled back
// limits: {"memory_mib": 32}
keep = 2;
const m: Uint8Array[] = [];
while (true) m.push(new Uint8Array(1 << 20));
// --- next
// expect: value [1, 8388608]
// limits: {"memory_mib": 32}
[keep, new Uint8Array(8 << 20).length]
