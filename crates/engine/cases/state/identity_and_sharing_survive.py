# expect: value true
# freeze: true
shared = [1]
holders = {"a": shared, "b": shared}
holders["a"] is holders["b"]
# --- next
# expect: value [[1, 2], true]
holders["a"].append(2)
[holders["b"], holders["a"] is shared]
