// expect: contained
// limits: {"memory_mib": 64, "cpu_ms": 3000}
JSON.parse("[".repeat(1_000_000))
