// expect: raised TypeError: cannot read property
// line: 2
const one = 1;
null.x
