// expect: contained
// limits: {"cpu_ms": 2000}
new Proxy({}, { ownKeys() { throw new Error("no") }, get() { throw new Error("no") }, has() { throw new Error("no") } })
