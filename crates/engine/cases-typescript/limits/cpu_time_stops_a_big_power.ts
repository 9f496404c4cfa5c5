// expect: limit cpu
// limits: {"cpu_ms": 200, "wall_ms": 5000}
let n = 3n;
for (;;) { n = n ** 3n % (2n ** 65536n + 1n) }
