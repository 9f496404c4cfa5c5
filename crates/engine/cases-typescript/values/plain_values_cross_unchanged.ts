// expect: value {"a": 1, "b": [true, null, "x", 1.5], "c": {}}
({ a: 1, b: [true, null, "x", 1.5], c: {} })
