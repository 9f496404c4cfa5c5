// expect: raised TypeError: cannot read property
// line: 4
interface A { b: { c: number } }

const a: A = JSON.parse("{}");
a.b.c
