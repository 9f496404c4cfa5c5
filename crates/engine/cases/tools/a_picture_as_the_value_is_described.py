# expect: value {"picture": {"$type": "image", "media_type": "image/png", "bytes": 5}, "shown": "<Image image/png, 5 bytes>"}
# servers: demo
from servers.demo import answer

picture = await answer({"has_structured": False, "content": [{"type": "image", "data": "iVBORw0=", "media_type": "image/png"}]})
{"picture": picture, "shown": repr(picture)}
