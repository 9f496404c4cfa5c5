def group_totals(rows: list, by: str, value: str) -> list:
    """Count, sum, mean, lowest and highest of a field for each value of another, by falling sum."""
    groups = {}
    for row in rows:
        number = row.get(value)
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            groups.setdefault(row.get(by), []).append(number)
    totals = [
        {by: key, "count": len(found), "sum": sum(found), "mean": sum(found) / len(found), "min": min(found), "max": max(found)}
        for key, found in groups.items()
    ]
    return sorted(totals, key=lambda total: -total["sum"])
