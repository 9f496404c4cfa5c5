from servers.crm import find_contacts
from servers.forge import create_issue, list_issues

print(await list_issues(owner="acme", repo="rocket", state=None, labels=None, page=None))
print(await find_contacts(query="ann", filters=None, limit=None))
print(await create_issue(owner="acme", repo="rocket", title="x", milestone=None))
