// expect: value 4950
const answers = await Promise.all([...Array(100).keys()].map(n => call("add", { a: n, b: 0 })));
answers.reduce((a, b) => a + b)
