// expect: limit cpu
// limits: {"cpu_ms": 200, "wall_ms": 5000}
for (;;) {}
