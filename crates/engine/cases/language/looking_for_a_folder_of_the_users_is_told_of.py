# expect: value [[], 0, false]
# note: /home/ada/files
import glob
import os
from pathlib import Path

[glob.glob("/home/ada/files/*.csv"), len(list(os.walk("/home/ada/files"))), Path("/home/ada/files").exists()]
