from servers.crm import find_contacts, list_deals
from servers.forge import get_issue

answer = await find_contacts(query="a")
if answer.get("next"):
    print(answer["next"])
for deal in (await list_deals())["deals"]:
    print((deal.get("closes_on") or "never")[:4])
issue = await get_issue(owner="acme", repo="rocket", number=1)
print((issue.get("body") or "").upper(), issue["author"].get("name") or issue["author"]["login"])
