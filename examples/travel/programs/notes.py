# The plan as a file and what is worth remembering, with two servers that somebody else wrote.
from servers.files import write_file, read_text_file
from servers.memory import create_entities, search_nodes

lines = [f"{stay['first_day']} {stay['name']}" for stay in stays]
await write_file(path=f"{notes}/plan.txt", content="\n".join(lines))
await create_entities(entities=[{"name": trip["name"], "entityType": "trip", "observations": [f"{len(stays)} stays"]}])
text = await read_text_file(path=f"{notes}/plan.txt")
known = await search_nodes(query=trip["name"])
{"lines": len(str(text["content"] if isinstance(text, dict) else text).strip().splitlines()), "remembered": known["entities"][0]["observations"]}
