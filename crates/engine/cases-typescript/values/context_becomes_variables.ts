// expect: value [3, "x", {"k": [1]}]
// context: {"n": 3, "s": "x", "o": {"k": [1]}}
[n, s, o]
