# expect: wrong-type 4
from servers.crm import send_email

sent = await send_email(to="ada@example.org", subject="Hello", body="Hi")
print(sent["queued"])
