# said: Write & for `and`
# value: true
import pandas
from servers.data import get_devices, query_device_history
frame = pandas.DataFrame((await get_devices())['devices'])
return len(frame[frame.online == True and frame.kind == 'power']) > 0
# mended:
import pandas
from servers.data import get_devices, query_device_history
frame = pandas.DataFrame((await get_devices())['devices'])
return len(frame[(frame.online == True) & (frame.kind == 'power')]) > 0
