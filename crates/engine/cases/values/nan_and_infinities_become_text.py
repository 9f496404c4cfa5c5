# expect: value ["NaN", "Infinity", "-Infinity", 0.5]
[float("nan"), float("inf"), float("-inf"), 0.5]
