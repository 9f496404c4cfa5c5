# expect: certain-crash 3
prices = {"tea": 3, "milk": 2}
for name, price in prices:
    print(name, price)
