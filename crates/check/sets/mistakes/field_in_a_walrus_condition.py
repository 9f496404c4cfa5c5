# expect: unknown-field 4
from servers.crm import find_contacts

if (people := (await find_contacts(query="ann"))["contacts"]) and people[0]["full_name"]:
    print(people[0]["email"])
