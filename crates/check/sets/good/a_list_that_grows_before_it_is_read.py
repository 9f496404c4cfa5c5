rows = ["a"]
rows += ["b", "c"]
rows.insert(0, "z")
print(rows[3])
