# said: A tool may have it, `from servers.data import get_devices`
# value: 99
import pandas
return len(pandas.read_csv('devices.csv'))
# mended:
import pandas
from servers.data import get_devices
return len(pandas.DataFrame((await get_devices())['devices']))
