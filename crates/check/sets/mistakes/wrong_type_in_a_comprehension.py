# expect: wrong-type 4
from servers.crm import send_email

await send_email(to=[1 for _ in range(3)], subject="Hello", body="...")
