# expect: value false
# note: the program looked for '/home/ann/orders.csv', which is not in the sandbox
import os

path = "/home/ann/orders.csv"
os.path.exists(path)
