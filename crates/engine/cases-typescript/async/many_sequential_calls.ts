// expect: value 200
let total = 0;
for (let i = 0; i < 200; i++) {
  total = await call("add", { a: total, b: 1 });
}
total
