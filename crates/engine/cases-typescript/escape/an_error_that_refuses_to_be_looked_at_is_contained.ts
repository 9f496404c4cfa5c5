// expect: contained
const error = new Error("x");
Object.defineProperty(error, "message", { get() { throw new Error("no") } });
Object.defineProperty(error, "stack", { get() { throw new Error("no") } });
throw error;
