// expect: raised SyntaxError: decorators
// line: 2
// hint: Call the function yourself
function d(f: any) { return f }
@d class A {}
