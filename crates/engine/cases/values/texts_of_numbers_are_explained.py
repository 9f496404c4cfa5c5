# expect: raised AttributeError: .str accessor
# hint: such as 7: column.astype(str).str
import pandas as pd
pd.Series([7, 8]).str.len()
