// expect: value [9, true, "bound f", 1, true]
class Counter extends Function {}
const bound = new Counter("x", "y", "return this.bar + x + y").bind({ bar: 1 }, 2);
function f(a: number, b: number) { return a + b }
async function g() {}
[bound(6), bound instanceof Counter, f.bind(null).name, f.bind(null, 1).length, Object.getPrototypeOf(g.bind(null)) === Object.getPrototypeOf(g)]
