// expect: value {"a": 1, "2": [3]}
new Map<string | number, unknown>([["a", 1], [2, [3]]])
