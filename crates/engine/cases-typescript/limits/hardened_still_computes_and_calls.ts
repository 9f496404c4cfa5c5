// expect: value 3
// level: hardened
await call("add", { a: 1, b: 2 })
