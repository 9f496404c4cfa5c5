# expect: certain-crash 6
import json
from servers.crm import list_deals

answer = await list_deals()
print(json.dump_s(answer["deals"], indent=2))
