# expect: unknown-field 5
from servers.crm import find_contacts

by_id = {one["id"]: one for one in (await find_contacts(query="a"))["contacts"]}
print(by_id["x"]["emial"])
