# expect: contained
import sys

import tidegate

for name in list(vars(tidegate)):
    if not name.startswith("__"):
        setattr(tidegate, name, None)
for name in [name for name in sys.modules if name.split(".")[0] in ("tidegate", "_tidegate", "_host")]:
    del sys.modules[name]
"gone"
