def compare_records(before: list, after: list, key: str) -> dict:
    """What was added, removed and changed between two lists of records that have a key; changes by field."""
    old = {record[key]: record for record in before}
    new = {record[key]: record for record in after}
    changed = []
    for name in old:
        if name in new and old[name] != new[name]:
            fields = sorted({*old[name], *new[name]})
            changes = {
                field: {"before": old[name].get(field), "after": new[name].get(field)}
                for field in fields
                if old[name].get(field) != new[name].get(field)
            }
            changed.append({key: name, "changes": changes})
    return {
        "added": [record for name, record in new.items() if name not in old],
        "removed": [record for name, record in old.items() if name not in new],
        "changed": changed,
    }
