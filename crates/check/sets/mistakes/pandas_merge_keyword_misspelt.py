# expect: certain-crash 6
import pandas as pd

people = pd.DataFrame({"id": [1, 2], "name": ["a", "b"]})
orders = pd.DataFrame({"id": [1, 1], "sum": [3, 4]})
both = people.merge(orders, onn="id")
print(both.shape)
