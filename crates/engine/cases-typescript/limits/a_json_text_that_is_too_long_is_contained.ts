// expect: contained
// limits: {"memory_mib": 32, "cpu_ms": 3000}
JSON.stringify(new Array(50_000_000).fill("x"))
