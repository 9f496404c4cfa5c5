# expect: undefined-name 5
from servers.files import read_text

text = await read_text(path="/config.json")
config = json.loads(text)
print(config)
