import json

data = {"name": "tide", "levels": [1, 2.5, None], "deep": {"ok": True}}
text = json.dumps(data, indent=2, sort_keys=True)
again = json.loads(text)
assert again == data
again["levels"][1] + len(again["name"])
