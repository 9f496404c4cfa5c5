# expect: certain-crash 5
import pandas as pd

people = pd.DataFrame({"id": [1, 2]})
print(people.merge(on="id"))
