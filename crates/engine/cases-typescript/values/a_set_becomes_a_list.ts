// expect: value [3, 1]
new Set([3, 1, 3])
