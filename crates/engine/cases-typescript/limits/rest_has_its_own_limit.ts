// expect: contained
// limits: {"rest_ms": 100}
await call("never", {});
