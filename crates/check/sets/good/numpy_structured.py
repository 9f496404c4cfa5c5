import numpy as np

rows = np.array([(1, "a")], dtype=[("id", "i4"), ("name", "U5")])
records = rows.view(np.recarray)
print(rows["id"], records.id, records.name, rows.dtype.names)
