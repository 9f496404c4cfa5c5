# expect: value null
# note: returned nothing and printed nothing
import os

asked = {"path": "/data/orders.csv"}  # for a tool, not for os.path.exists
os.path.exists("orders.csv")
None
