def flatten_record(record: dict, separator: str = ".") -> dict:
    """A nested record as one level: {"a": {"b": [1]}} becomes {"a.b.0": 1}; what is empty stays as it is."""
    flat = {}
    stack = [("", record)]
    while stack:
        path, value = stack.pop()
        inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
        if inner is None or not value:
            flat[path] = value
            continue
        stack += [(f"{path}{separator}{name}" if path else str(name), one) for name, one in reversed(list(inner))]
    return flat
