ROWS = [
    {"id": 1, "tags": ["a", "b"], "place": {"x": 1, "y": 2}},
    {"id": 2, "tags": [], "place": {"x": 3, "y": 4}, "note": "odd"},
    {"id": 3, "tags": ["c"], "place": {"x": 5, "y": 6}},
]
by_id = {row["id"]: row for row in ROWS}
print(by_id[2]["note"], [row.get("note") for row in ROWS], ROWS[1]["note"], {**ROWS[0], "note": "new"}["note"])
