# expect: certain-crash 4
import numpy as np

print(np.linspace(5))
