// expect: value [10, 20]
// freeze: true
const slow = call("later", { v: 10, ms: 20 });
const quick = call("later", { v: 20, ms: 1 });
const b = (await quick).v;
const a = (await slow).v;
[a, b]
