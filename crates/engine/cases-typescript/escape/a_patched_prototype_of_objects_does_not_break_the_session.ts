// expect: contained
Object.prototype.toJSON = () => { throw new Error("gotcha") };
Object.defineProperty(Object.prototype, "then", { get() { throw new Error("gotcha") }, configurable: true });
1
