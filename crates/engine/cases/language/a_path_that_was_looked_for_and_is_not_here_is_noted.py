# expect: value false
# note: the program looked for '/data/orders.csv', which is not in the sandbox
import os

path = "/data/orders.csv"
os.path.exists(path)
