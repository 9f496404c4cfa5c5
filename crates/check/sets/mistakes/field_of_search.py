# expect: unknown-field 6
from servers.forge import search_code

hits = await search_code(query="def main", language="python")
for hit in hits["matches"]:
    print(hit["repository"], hit["file"], hit["line"])
