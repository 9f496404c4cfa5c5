# expect: value false
# level: hardened
# Libraries try to import what may not be there. A file of that name, left by an earlier program at
# another level, would be run in its place, with the library's permission to import anything.
library = {"__name__": "json"}
exec("import sys", library)
"/workspace" in library["sys"].path
