# expect: unknown-argument 5
from servers.crm import update_contact

changes = {"mail": "new@example.org"}
await update_contact(contact_id="c-17", changes=changes)
