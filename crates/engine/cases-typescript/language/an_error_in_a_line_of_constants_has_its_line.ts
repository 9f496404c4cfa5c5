// expect: raised TypeError: cannot read property
// line: 4
const one = 1;
null.x
