# said: It has: 'id', 'name', 'room'
# value: 99
import pandas
from servers.data import get_devices
frame = pandas.DataFrame((await get_devices())['devices'])
return int(frame.groupby('area').size().sum())
# mended:
import pandas
from servers.data import get_devices
frame = pandas.DataFrame((await get_devices())['devices'])
return int(frame.groupby('room').size().sum())
