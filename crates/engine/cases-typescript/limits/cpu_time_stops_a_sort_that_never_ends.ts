// expect: limit cpu
// limits: {"cpu_ms": 200, "wall_ms": 5000}
Array.from({ length: 10 }, (_, i) => i).sort(() => { for (;;) {} });
