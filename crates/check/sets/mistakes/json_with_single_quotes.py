# expect: certain-crash 4
import json

settings = json.loads("{'city': 'Oslo'}")
print(settings["city"])
