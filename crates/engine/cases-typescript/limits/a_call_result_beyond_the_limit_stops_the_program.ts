// expect: limit call_result
// limits: {"call_result_bytes": 1000}
await call("blob", { size: 2000 });
