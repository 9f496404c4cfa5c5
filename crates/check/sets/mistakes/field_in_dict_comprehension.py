# expect: unknown-field 5
from servers.crm import find_contacts

found = await find_contacts(query="acme", limit=20)
by_mail = {contact["mail"]: contact["id"] for contact in found["contacts"]}
by_mail
