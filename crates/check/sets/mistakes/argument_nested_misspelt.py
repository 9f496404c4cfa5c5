# expect: unknown-argument 4
from servers.crm import update_contact

await update_contact(contact_id="c-17", changes={"mail": "new@example.org"})
