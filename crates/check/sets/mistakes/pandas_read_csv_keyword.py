# expect: certain-crash 6
import io
import pandas as pd

text = "a;b\n1;2\n"
frame = pd.read_csv(io.StringIO(text), delimeter=";")
print(frame)
