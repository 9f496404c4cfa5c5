// expect: contained
// limits: {"memory_mib": 64, "cpu_ms": 2000, "wall_ms": 5000}
for (let i = 0; i < 1_000_000; i++) setTimeout(() => {}, 1e6);
