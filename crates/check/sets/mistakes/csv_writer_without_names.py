# expect: certain-crash 6
import csv
import io

out = io.StringIO()
writer = csv.DictWriter(out)
writer.writeheader()
