# expect: unknown-argument 5
from servers.crm import send_email

mail = dict(to=["a@b.c"], subject="Hello", text="Hi there")
await send_email(**mail)
