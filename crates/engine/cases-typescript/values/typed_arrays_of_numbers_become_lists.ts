// expect: value [[1.5, -2], [1, 2], [7]]
[new Float64Array([1.5, -2]), new Int32Array([1, 2]), new BigInt64Array([7n])]
