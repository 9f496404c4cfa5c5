def join_records(left: list, right: list, on: str, right_on: str | None = None, keep_all: bool = True) -> list:
    """Each left record with the fields of the right ones that agree in a key; fields of the left have the say."""
    found = {}
    for record in right:
        found.setdefault(record.get(right_on or on), []).append(record)
    joined = []
    for record in left:
        matches = found.get(record.get(on), [])
        if not matches and keep_all:
            matches = [{}]
        joined += [{**match, **record} for match in matches]
    return joined
