def find_duplicates(rows: list, keys: list) -> list:
    """Groups of rows that agree in all the given fields; text is compared without case and blanks around it."""
    def plain(value):
        # With its kind: the text "1" is not the number 1.
        return ("text", value.strip().casefold()) if isinstance(value, str) else ("value", repr(value))

    groups = {}
    for index, row in enumerate(rows):
        groups.setdefault(tuple(plain(row.get(key)) for key in keys), []).append(index)
    return [
        {"keys": {key: rows[found[0]].get(key) for key in keys}, "count": len(found), "positions": found}
        for found in groups.values()
        if len(found) > 1
    ]
