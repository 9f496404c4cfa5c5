# expect: certain-crash 3
price = lambda amount, tax: amount * (1 + tax)
print(price(3))
