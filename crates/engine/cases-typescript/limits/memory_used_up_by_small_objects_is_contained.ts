// expect: contained
// limits: {"memory_mib": 32, "cpu_ms": 5000}
const held: object[] = [];
for (let i = 0; ; i++) held.push({ i });
