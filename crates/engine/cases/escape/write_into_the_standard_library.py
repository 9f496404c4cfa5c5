# expect: value [true, true]
import json
import os

try:
    with open("/usr/local/lib/python315.zip", "r+b") as library:
        library.write(b"PK")
    refused = False
except OSError:
    refused = True
try:
    os.unlink("/usr/local/lib/python315.zip")
    kept = False
except OSError:
    kept = True
[refused, kept]
