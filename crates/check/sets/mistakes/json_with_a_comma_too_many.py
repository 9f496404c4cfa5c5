# expect: certain-crash 5
import json

TEXT = '{"limit": 10, "state": "open",}'
limit = json.loads(TEXT)["limit"]
print(limit)
