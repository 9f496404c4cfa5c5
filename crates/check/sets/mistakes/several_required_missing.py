# expect: missing-argument 4
from servers.crm import send_email

sent = await send_email(subject="Offer", body="Please find our offer below.")
print(sent["message_id"])
