// expect: contained
// limits: {"value_bytes": 100000, "cpu_ms": 10000}
// note: value-bytes
let x: any = {};
for (let i = 0; i < 30; i++) x = { a: x, b: x };
x
