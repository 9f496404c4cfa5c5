// expect: raised TypeError
// line: 5
const o: any = {};
const one = 1;
const two = one + 1;
  const y1 = two * 2;
  const { a } = o.x;
// --- next
// expect: raised TypeError
// line: 4
const q: any = {};
const f = () => {
  const three = 3;
  const [p] = q.x;
  return three + p;
};
f();
// --- next
// expect: raised TypeError
// line: 3
function g(rows: any[]) {
  let sum = 0;
  for (const { n } of rows) sum += n;
  return sum;
}
g([null]);
