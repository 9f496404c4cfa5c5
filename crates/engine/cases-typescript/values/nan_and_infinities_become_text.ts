// expect: value ["NaN", "Infinity", "-Infinity", 0.5, 0]
[NaN, Infinity, -Infinity, 0.5, -0]
