// expect: value 1
let kept = 1;
kept
// --- next
// expect: limit cpu
// limits: {"cpu_ms": 150, "wall_ms": 3000}
kept = 2;
for (;;) {}
// --- next
// expect: value 1
kept
