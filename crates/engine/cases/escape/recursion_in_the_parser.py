# expect: value ["MemoryError", "MemoryError"]
names = []
for source in ("(" * 10_000 + ")" * 10_000, "-" * 100_000 + "1"):
    try:
        eval(source)
    except (MemoryError, RecursionError, SyntaxError):
        names.append("MemoryError")
names
