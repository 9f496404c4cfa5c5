// expect: value [{"odd": [1, 3], "even": [2]}, 3, [3, 2, 1], "b", true]
const grouped = Object.groupBy([1, 2, 3], n => (n % 2 ? "odd" : "even"));
const last = [1, 2, 3].at(-1);
[{ odd: grouped.odd, even: grouped.even }, last, [1, 2, 3].toReversed(), structuredClone({ a: "b" }).a, Object.hasOwn({ a: 1 }, "a")]
