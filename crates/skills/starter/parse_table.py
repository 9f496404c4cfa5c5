def parse_table(text: str) -> list:
    """The rows of a table in text, as records: Markdown with | or lines with commas, semicolons or tabs."""
    import csv
    import io

    lines = [line.strip("\r\n") for line in text.strip().splitlines() if line.strip()]
    if not lines:
        return []
    if lines[0].lstrip().startswith("|"):
        cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
        cells = [row for row in cells if not all(cell and set(cell) <= set("-: ") for cell in row)]
    else:
        mark = max("\t;,", key=lines[0].count)
        cells = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=mark)]

    def value(cell):
        for kind in (int, float):
            try:
                return kind(cell)
            except ValueError:
                pass
        return cell or None

    head, *rows = cells
    return [dict(zip(head, [value(cell) for cell in row])) for row in rows]
