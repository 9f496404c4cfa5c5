import csv
import io

source = "name,score\nada,3\nbob,5\n"
rows = list(csv.DictReader(io.StringIO(source)))
out = io.StringIO()
writer = csv.writer(out)
writer.writerow(["name", "double"])
for row in rows:
    writer.writerow([row["name"], int(row["score"]) * 2])
out.getvalue()
