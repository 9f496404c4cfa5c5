// expect: value {"a": [null, 1]}
({ a: [undefined, 1], b: undefined, f: () => 1 })
