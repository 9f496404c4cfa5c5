// expect: value 4950
[...Array(100).keys()].reduce((a, b) => a + b)
