# expect: unknown-tool 2
from servers import send_email

await send_email(to=["a@example.org"], subject="Hello", body="Hi there")
