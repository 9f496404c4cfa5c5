# expect: certain-crash 5
import json

tags = {"a", "b"}
print(json.dumps(tags))
