// expect: value [{"a": 1}, {"b": 2}]
// freeze: true
[call("later", { a: 1 }), call("later", { b: 2 })]
