# said: there are numpy, pandas
# value: 99
import polars
from servers.data import get_devices
return polars.DataFrame((await get_devices())['devices']).height
# mended:
import pandas
from servers.data import get_devices
return len(pandas.DataFrame((await get_devices())['devices']))
