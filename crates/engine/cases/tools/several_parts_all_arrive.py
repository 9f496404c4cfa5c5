# expect: value ["intro", {"n": 1}, "image/png", "audio/wav", "the text", "file:///a.txt", "data://x", {"odd": true}]
# servers: demo
# freeze: true
from servers.demo import answer

parts = await answer({"has_structured": False, "content": [
    {"type": "text", "text": "intro"},
    {"type": "text", "text": '{"n": 1}'},
    {"type": "image", "data": "iVBORw0=", "media_type": "image/png"},
    {"type": "audio", "data": "UklGRg==", "media_type": "audio/wav"},
    {"type": "resource", "uri": "file:///a.txt", "media_type": "text/plain", "text": "the text"},
    {"type": "link", "uri": "data://x", "name": "x"},
    {"type": "other", "value": {"odd": True}},
]})
[parts[0], parts[1], parts[2].media_type, parts[3].media_type, parts[4], parts[4].uri, parts[5].uri, parts[6]]
