# expect: certain-crash 5
import pandas as pd

frame = pd.DataFrame({"room": ["a", "b"], "kwh": [1.0, 2.0]})
print(frame.groupby("room")["kwh"].summ())
