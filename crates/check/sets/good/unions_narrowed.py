def size(value: "int | str | list | None"):
    if value is None:
        return 0
    if isinstance(value, int):
        return value.bit_length()
    return len(value)


results = {}
for key, value in {"a": 5, "b": "xyz", "c": None}.items():
    results[key] = size(value)
results
