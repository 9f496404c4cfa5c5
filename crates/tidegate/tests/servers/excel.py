# expect: {"cells": 8, "sum": 3.7, "found": {"Tides": {"A3": "Husum"}}, "missing": true}

import servers.excel as excel

book = f"{work}/tides.xlsx"


async def fill(rows):
    await excel.create_workbook(book, sheets=["Tides"])
    return await excel.write_range(book, "Tides", "A1", rows)


written = await fill([["harbour", "metres"], ["Kiel", 0.2], ["Husum", 3.5], ["sum", "=SUM(B2:B3)"]])
values = (await excel.read_range(book, "Tides", range="B4"))["values"]
found = await excel.find_cells(book, query="Husum", exact=True)
try:
    await excel.read_range(book, "Currents")
    missing = False
except ToolError as error:
    missing = "Sheet 'Currents' not found" in str(error)

{"cells": written["cells_written"], "sum": values[0][0], "found": found["matches"], "missing": missing}
