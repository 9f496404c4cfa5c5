# expect: certain-crash 5
from servers.crm import find_contacts

names = {one["first_name"] for one in (await find_contacts(query="a"))["contacts"]}
print(names[0])
