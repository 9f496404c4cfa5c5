# expect: missing-argument 5
from servers.crm import create_contact

person = {"first_name": "Ann", "last_name": "Lee"}
made = await create_contact(**person, tags=["new"])
print(made["id"])
