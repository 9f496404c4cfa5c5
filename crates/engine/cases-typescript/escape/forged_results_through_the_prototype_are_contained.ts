// expect: contained
String.prototype.startsWith = () => true;
RegExp.prototype.exec = () => { throw new Error("gotcha") };
Map.prototype.get = () => ({ resolve() {}, reject() {} });
await call("echo", { a: 1 });
