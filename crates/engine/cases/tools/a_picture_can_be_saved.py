# expect: value ["/workspace/out/a.png", "89504e470d", "/workspace/chart.png", 5]
# servers: demo
import os

from servers.demo import answer

picture = await answer({"has_structured": False, "content": [
    {"type": "image", "data": "iVBORw0=", "media_type": "image/png", "name": "chart"},
]})
path = picture.save("out/a.png")
[path, open(path, "rb").read().hex(), picture.save(), os.path.getsize("/workspace/chart.png")]
