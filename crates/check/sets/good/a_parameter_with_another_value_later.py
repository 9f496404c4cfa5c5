from servers.crm import get_contact

def show(person):
    person = {"name": person["first_name"] + " " + person["last_name"]}
    return person["name"]

print(show(await get_contact(contact_id="c1")))
