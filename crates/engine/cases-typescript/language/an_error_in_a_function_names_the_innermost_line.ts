// expect: raised RangeError: too many
// line: 3
function check(n: number): void {
  if (n > 1) {
    throw new RangeError("too many");
  }
}

check(2);
