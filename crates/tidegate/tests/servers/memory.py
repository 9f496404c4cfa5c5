# expect: {"created": ["Kiel", "Husum"], "found": ["Husum"], "relations": [["Husum", "Kiel", "trades with"]], "left": 1}

import memory

made = await memory.create_entities([
    {"name": "Kiel", "entityType": "harbour", "observations": ["has locks"]},
    {"name": "Husum", "entityType": "harbour", "observations": ["falls dry"]},
])
await memory.create_relations([{"from": "Husum", "to": "Kiel", "relationType": "trades with"}])
found = await memory.search_nodes(query="falls dry")
graph = await memory.read_graph()
await memory.delete_entities(entityNames=["Kiel"])
left = await memory.read_graph()

{
    "created": [entity["name"] for entity in made["entities"]],
    "found": [entity["name"] for entity in found["entities"]],
    "relations": [[one["from"], one["to"], one["relationType"]] for one in graph["relations"]],
    "left": len(left["entities"]),
}
