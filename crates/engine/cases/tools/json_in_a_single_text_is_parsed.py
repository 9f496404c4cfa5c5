# expect: value [{"a": [1]}, [1, 2], null]
# servers: demo
from servers.demo import answer

found = []
for text in ('{"a": [1]}', "\n [1, 2]"):
    found.append(await answer({"content": [{"type": "text", "text": text}], "has_structured": False}))
[*found, await answer({"content": [], "has_structured": False})]
