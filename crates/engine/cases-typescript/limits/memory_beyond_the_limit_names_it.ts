// expect: raised InternalError: out of memory
// hint: memory-bytes
// limits: {"memory_mib": 32}
const held: Uint8Array[] = [];
for (;;) held.push(new Uint8Array(4 << 20));
