// expect: contained
// stdout: "reached the end\n"
console.log("reached the end");
({ get broken() { throw new Error("no") } })
