// expect: value 1
// stdout: "later\n"
setTimeout(() => console.log("later"), 5);
1
