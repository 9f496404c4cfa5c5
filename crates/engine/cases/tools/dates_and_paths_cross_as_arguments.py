# expect: value {"text": "2026-05-01", "tags": ["/workspace/a.txt", [1, 2]]}
# servers: demo
import datetime
import pathlib

import numpy as np
from servers.demo import echo

await echo(datetime.date(2026, 5, 1), tags=[pathlib.Path("/workspace/a.txt"), np.array([1, 2])])
