// expect: value 1
// freeze: true
const a = 1;
let b = { n: 1 };
function double(n: number) { return n * 2 }
class Box { constructor(public n: number) {} }
a
// --- next
// expect: value [1, {"n": 1}, 8, 5]
[a, b, double(4), new Box(5).n]
