# expect: raised ExceptionGroup: two problems
raise ExceptionGroup("two problems", [ValueError("a"), TypeError("b")])
