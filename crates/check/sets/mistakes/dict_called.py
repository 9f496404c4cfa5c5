# expect: certain-crash 3
prices = {"apple": 1.2, "pear": 0.8}
print(prices("apple"))
