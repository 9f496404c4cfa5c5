# expect: certain-crash 4
import pandas as pd

frame = pd.DataFrame([[1, 2]], column=["a", "b"])
