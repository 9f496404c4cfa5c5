# said: It has the columns 'id', 'name', 'room'
# value: 99
import pandas
from servers.data import get_devices
frame = pandas.DataFrame((await get_devices())['devices'])
return int(frame.groupby('room').area.count().sum())
# mended:
import pandas
from servers.data import get_devices
frame = pandas.DataFrame((await get_devices())['devices'])
return int(frame.groupby('room').id.count().sum())
