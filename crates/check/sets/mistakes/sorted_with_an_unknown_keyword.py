# expect: certain-crash 5
from servers.crm import list_deals

answer = await list_deals()
print(sorted(answer["deals"], key=lambda deal: deal["amount"], descending=True))
