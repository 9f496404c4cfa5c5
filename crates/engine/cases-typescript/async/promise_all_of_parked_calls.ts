// expect: value [{"n": 1}, {"n": 2}, {"n": 3}]
// freeze: true
await Promise.all([1, 2, 3].map(n => call("later", { n })))
