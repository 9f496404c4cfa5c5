// expect: value 1
// stderr: "careful\n"
console.error("careful");
1
