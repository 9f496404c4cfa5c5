// expect: limit call_arguments
// limits: {"call_arguments_bytes": 1000}
await call("echo", { text: "x".repeat(2000) });
