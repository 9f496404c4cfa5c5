# expect: value [[], 0, false]
# note: /data/ada/files
import glob
import os
from pathlib import Path

[glob.glob("/data/ada/files/*.csv"), len(list(os.walk("/data/ada/files"))), Path("/data/ada/files").exists()]
