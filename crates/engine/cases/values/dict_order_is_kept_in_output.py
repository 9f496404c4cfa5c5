# expect: value ["z", "a", "m"]
ordered = {"z": 1, "a": 2, "m": 3}
list(ordered)
