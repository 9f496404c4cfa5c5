# expect: certain-crash 5
import json

text = '{"a": 1}'
print(json.load(text)["a"])
