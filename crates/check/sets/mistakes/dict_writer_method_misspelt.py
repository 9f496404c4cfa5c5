# expect: certain-crash 7
import csv
import io

out = io.StringIO()
writer = csv.DictWriter(out, fieldnames=["a"])
writer.write_header()
print(out.getvalue())
