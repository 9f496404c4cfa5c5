// expect: contained
// stdout: "reached the end\n"
const loop: any = { a: 1 };
loop.loop = loop;
console.log("reached the end");
loop
