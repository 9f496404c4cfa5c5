// expect: value null
// stdout: "Map(1) { 'a' => 1 } Set(1) { 'x' } null undefined 12n [Function: f] [class A] 1970-01-01T00:00:00.000Z\n"
function f() {}
class A {}
console.log(new Map([["a", 1]]), new Set(["x"]), null, undefined, 12n, f, A, new Date(0));
