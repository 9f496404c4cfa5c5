import sys

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = None

try:
    import ujson as json
except ImportError:
    import json

if len(sys.argv) > 5:
    mode = "many"
config = tomllib.loads("a = 1") if tomllib else {}
[json.dumps(config), "mode" in globals()]
