// expect: contained
// limits: {"memory_mib": 64, "cpu_ms": 3000}
let x: unknown[] = [];
for (let i = 0; i < 100_000; i++) x = [x];
x
