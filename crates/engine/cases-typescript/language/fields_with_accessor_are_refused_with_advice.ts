// expect: raised SyntaxError: accessor
// line: 2
// hint: a pair of `get` and `set`
class Box {
  accessor width = 1;
}
