# expect: certain-crash 3
amounts = {"rent": 900, "food": 300}
total = sum(amounts)
print(total)
