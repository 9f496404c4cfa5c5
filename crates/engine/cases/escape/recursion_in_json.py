# expect: raised RecursionError
import json

json.loads("[" * 100_000)
