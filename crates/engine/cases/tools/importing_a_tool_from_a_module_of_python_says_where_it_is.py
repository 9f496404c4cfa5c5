# expect: raised ImportError: get_current_time
# servers: time
# hint: `from servers.time import get_current_time`
from time import get_current_time
