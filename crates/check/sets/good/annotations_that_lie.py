def total(items: list, factor: int = None) -> str:
    keys = items.keys()
    return sum(items[key] for key in keys) * (factor or 1)


total({"a": 1, "b": 2}, factor=2.5)
