# expect: unknown-field 5
from servers.forge import create_issue

made = await create_issue(owner="acme", repo="rocket", title="Engine stalls")
print(f"created #{made['id']}")
