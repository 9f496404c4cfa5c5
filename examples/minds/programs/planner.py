import json
from collections import Counter

QUESTIONS = {"type": "object", "properties": {"topics": {"type": "array", "items": {"type": "string"}}}, "required": ["topics"]}

plan = await ask_model("Name three topics for these messages of guests:\n" + json.dumps(messages), schema=QUESTIONS)
for index in range(len(messages)):
    await post("jobs", {"index": index, "topics": plan["topics"]})
for _ in range(workers):
    await post("jobs", None)
found = [await receive("done", timeout=60) for _ in messages]
found.sort(key=lambda one: one["index"])
table = Counter((one["topic"], one["mood"]) for one in found)
urgent = [messages[one["index"]] for one in found if one["urgent"]]
advice = await ask_model("What should the house do first? One sentence.\n" + json.dumps(urgent))
return {
    "topics": plan["topics"],
    "found": {f"{topic}, {mood}": count for (topic, mood), count in sorted(table.items())},
    "urgent": len(urgent),
    "advice": advice,
}
