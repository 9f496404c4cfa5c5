# expect: value null
# note: returned nothing and printed nothing
import os

path = os.path.expanduser("~/orders.csv")
open(path, "w").close()
assert os.path.exists(path)
None
