// expect: raised SyntaxError
// line: 2
const a = 1;
const = 2;
