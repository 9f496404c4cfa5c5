# expect: raised IndentationError
exec("".join(" " * depth + "if 1:\n" for depth in range(150)) + " " * 150 + "pass")
