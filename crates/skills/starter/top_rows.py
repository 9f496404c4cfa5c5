def top_rows(rows: list, by: str, count: int = 10, lowest: bool = False) -> list:
    """The rows with the largest numbers in one field, largest first; rows without a number there are left out."""
    numbered = [row for row in rows if isinstance(row.get(by), (int, float)) and not isinstance(row.get(by), bool)]
    return sorted(numbered, key=lambda row: row[by], reverse=not lowest)[:count]
