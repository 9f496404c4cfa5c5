# expect: certain-crash 5
import csv, io

text = "a,b\n1,2\n"
for row in csv.DictReader(io.StringIO(text), fieldname=["a", "b"]):
    print(row)
