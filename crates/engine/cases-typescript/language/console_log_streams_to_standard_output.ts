// expect: value null
// stdout: "a 1 { b: [ 2 ] }\nx=3\n"
console.log("a", 1, { b: [2] });
console.log("x=%d", 3);
