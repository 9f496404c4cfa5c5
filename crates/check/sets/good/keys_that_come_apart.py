for a, b in {"ab": 1, "cd": 2}:
    print(a, b)
for x, y in {(0, 1): "one", (2, 3): "two"}:
    print(x, y)
for first, *rest in {"tide": 1}:
    print(first, rest)
for name, price in {"tea": 3}.items():
    print(name, price)
prices = {"tea": 3}
prices = list(prices.items())
for name, price in prices:
    print(name, price)
empty = {}
for name, price in empty:
    print(name, price)
lazy = ((k, v) for k, v in {"a": 1})
try:
    for name, price in {"tea": 3}:
        print(name)
except ValueError:
    print("keys")
grown = {}
for word in ["ab", "cd"]:
    grown[word] = 1
print({k: v for k, v in grown}, [k for k in {"a": 1}], sorted({"b": 1}), lazy)
