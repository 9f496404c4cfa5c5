# expect: value ["a,b\n1,2\n", 2, "text/csv", "AP8=", "application/octet-stream", "/workspace/t.csv"]
# servers: demo
import base64
import csv

from servers.demo import answer

parts = await answer({"has_structured": False, "content": [
    {"type": "resource", "uri": "file:///data/t.csv", "media_type": "text/csv", "text": "a,b\n1,2\n"},
    {"type": "resource", "uri": "file:///x.bin", "media_type": "application/octet-stream", "blob": "AP8="},
]})
rows = list(csv.reader(parts[0].splitlines()))
[parts[0], len(rows), parts[0].media_type, base64.b64encode(parts[1].data).decode(), parts[1].media_type, parts[0].save()]
