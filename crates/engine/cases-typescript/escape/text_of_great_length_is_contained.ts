// expect: contained
// limits: {"memory_mib": 64, "cpu_ms": 3000}
let text = "x";
for (;;) text += text;
