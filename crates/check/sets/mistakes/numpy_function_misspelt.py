# expect: certain-crash 7
import numpy as np
from servers.weather import forecast

answer = await forecast(city="Oslo", days=7)
highs = np.array([day["high"] for day in answer["days"]])
print(np.avarage(highs))
