# expect: value ["hello", "12", "true", "{not json"]
# servers: demo
from servers.demo import answer

texts = [await answer({"t": "hello"})]
for text in ("12", "true", "{not json"):
    texts.append(await answer({"content": [{"type": "text", "text": text}], "has_structured": False}))
texts
