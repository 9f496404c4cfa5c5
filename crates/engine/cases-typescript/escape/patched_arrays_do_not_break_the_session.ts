// expect: contained
Array.prototype.join = () => "x";
Array.prototype.push = () => { throw new Error("gotcha") };
Array.prototype[Symbol.iterator] = function* () { for (;;) yield 1 };
1
