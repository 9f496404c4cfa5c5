# expect: value null
# note: returned nothing and printed nothing
import os

asked = {"path": "/home/ann/orders.csv"}  # for a tool, not for os.path.exists
known = os.path.exists("orders.csv")
