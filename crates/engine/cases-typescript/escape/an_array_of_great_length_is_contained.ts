// expect: contained
// limits: {"memory_mib": 64, "cpu_ms": 3000}
const a: number[] = [];
a[4294967294] = 1;
a.fill(0)
