def markdown_table(rows: list, columns: list | None = None, most: int = 50) -> str:
    """Rows as a Markdown table; columns in the order in which they first occur unless they are given."""
    if columns is None:
        columns = list(dict.fromkeys(name for row in rows for name in row))

    def cell(value):
        if value is None:
            return ""
        text = f"{value:,.2f}" if isinstance(value, float) else str(value)
        return text.replace("|", "\\|").replace("\n", " ")

    def line(cells):
        return "| " + " | ".join(cells) + " |"

    lines = [line([cell(name) for name in columns]), line(["---"] * len(columns))]
    lines += [line([cell(row.get(name)) for name in columns]) for row in rows[:most]]
    if len(rows) > most:
        lines.append(f"\n{len(rows) - most} more rows")
    return "\n".join(lines)
