// expect: contained
Promise.prototype.then = () => { for (;;) {} };
await call("echo", {});
