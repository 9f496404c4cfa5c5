from servers.crm import find_contacts

people = (await find_contacts(query="a"))["contacts"]
print({person["company"] for person in people}, {tuple(person["tags"]) for person in people}, set().union(*(person["tags"] for person in people)))
