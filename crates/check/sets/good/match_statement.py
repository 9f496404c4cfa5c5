def kind(value):
    match value:
        case None:
            return "nothing"
        case bool():
            return "truth"
        case int() | float() as number if number < 0:
            return f"negative {number}"
        case {"type": name, **rest}:
            return f"{name} with {len(rest)}"
        case [first, *others]:
            return f"list from {first} and {len(others)} more"
        case str(text):
            return text.upper()
        case _:
            return "other"


[kind(v) for v in (None, True, -2, {"type": "x", "a": 1}, [1, 2, 3], "hi", 5)]
