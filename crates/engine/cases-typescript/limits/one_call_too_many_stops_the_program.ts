// expect: limit calls
// limits: {"calls": 5}
for (let i = 0; i < 6; i++) await call("add", { a: 1, b: 1 });
