# expect: raised JSONDecodeError
# line: 3
import json

json.loads("{not json")
