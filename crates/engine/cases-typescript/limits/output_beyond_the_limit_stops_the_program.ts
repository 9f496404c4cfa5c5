// expect: limit output
// limits: {"output_bytes": 1000}
for (let i = 0; i < 1000; i++) console.log("a line of text");
