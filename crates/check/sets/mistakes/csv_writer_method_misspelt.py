# expect: certain-crash 7
import csv
import io

out = io.StringIO()
writer = csv.writer(out)
writer.write_row(["a", "b"])
print(out.getvalue())
