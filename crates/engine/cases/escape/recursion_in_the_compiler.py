# expect: contained
eval("x" + ".a" * 100_000)
