// expect: value ["RangeError", 500]
const depth = (n: number): number => (n === 0 ? 0 : 1 + depth(n - 1));
try {
  depth(1e9);
} catch (error) {
  result = [error.name, depth(500)];
}
