# expect: value {"Husum": 5, "Kiel": 4}
import pandas as pd

frame = pd.DataFrame({"city": ["Kiel", "Husum", "Kiel"], "n": [1, 5, 3]})
frame.groupby("city")["n"].sum().to_dict()
