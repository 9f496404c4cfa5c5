// expect: value "value"
// freeze: true
// stdout: "answered 1\n"
call("later", { n: 1 }).then(answer => console.log("answered", answer.n));
"value"
