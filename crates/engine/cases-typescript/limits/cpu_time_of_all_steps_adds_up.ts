// expect: limit cpu
// limits: {"cpu_ms": 300, "wall_ms": 9000}
for (let i = 0; i < 100; i++) {
  const end = Date.now() + 20;
  while (Date.now() < end) {}
  await call("later", {});
}
