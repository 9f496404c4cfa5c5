# said: add `import pandas as pd`
# value: 99
from servers.data import get_devices
found = await get_devices()
return pd.DataFrame(found['devices']).shape[0]
# mended:
import pandas as pd
from servers.data import get_devices
found = await get_devices()
return pd.DataFrame(found['devices']).shape[0]
