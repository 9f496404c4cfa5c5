# expect: certain-crash 10
class Basket:
    def __init__(self):
        self.items = []

    def add(self, name, price):
        self.items.append((name, price))

    def total(self):
        return sum(price for _, price in self.itms)


basket = Basket()
basket.add("tea", 3)
print(basket.total())
