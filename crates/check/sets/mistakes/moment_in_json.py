# expect: certain-crash 6
import json
from datetime import datetime

report = {"lines": 3}
print(json.dumps({"at": datetime.now(), "report": report}))
