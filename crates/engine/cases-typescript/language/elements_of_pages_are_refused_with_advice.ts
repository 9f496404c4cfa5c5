// expect: raised SyntaxError: JSX
// line: 2
// hint: make text with
const name = "x";
const page = <div>{name}</div>;
