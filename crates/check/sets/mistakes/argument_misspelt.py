# expect: unknown-argument 4
from servers.forge import create_issue

made = await create_issue(owner="acme", repo="rocket", tittle="Engine stalls", body="It does.")
print(made["url"])
