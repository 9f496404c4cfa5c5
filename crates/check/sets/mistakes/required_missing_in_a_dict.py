# expect: missing-argument 4
from servers.crm import create_contact

created = await create_contact({"first_name": "Ada", "last_name": "Byron"})
print(created["id"])
