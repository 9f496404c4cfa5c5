# expect: unknown-field 6
from servers.forge import search_code

one = (await search_code(query="a"))["matches"]
two = (await search_code(query="b"))["matches"]
print([match["repositry"] for match in one + two])
