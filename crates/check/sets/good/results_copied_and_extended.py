import copy
from servers.crm import get_contact

person = dict(await get_contact(contact_id="c1"))
person["phone"] = "123"
twin = copy.copy(person)
twin.update(age=4)
print(person["phone"], twin["age"])
