# expect: unknown-argument 4
from servers.crm import log_activity

await log_activity({"contact_id": "c-17", "type": "call", "notes": "asked for a quote"})
