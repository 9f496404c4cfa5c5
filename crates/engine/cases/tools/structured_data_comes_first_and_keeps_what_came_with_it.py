# expect: value [{"rows": 2}, true, 2, "image/png", "see the chart", [1, 2], 1]
# servers: demo
from servers.demo import answer

content = [{"type": "text", "text": "see the chart"}, {"type": "image", "data": "iVBORw0=", "media_type": "image/png"}]
found = await answer({"structured": {"rows": 2}, "has_structured": True, "content": content})
rows = await answer({"structured": [1, 2], "has_structured": True, "content": content[1:]})
[found, isinstance(found, dict), len(found.content), found.content[1].media_type, found.content[0], rows, len(rows.content)]
