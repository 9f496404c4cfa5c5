from functools import partial

from servers.crm import find_contacts, send_email, update_contact
from servers.forge import get_issue
from servers.warehouse import insert_rows

people = (await find_contacts(query="acme"))["contacts"]
await send_email(to=[one["email"] for one in people], subject="Hello", body="...")
await send_email(to=[f"{n}@example.org" for n in range(3)], subject="Hello", body="...")
await send_email(to=[str(n) for n in range(3)], subject="Hello", body="...")
rows = [{"id": n, **person} for n, person in enumerate(people)]
await insert_rows(table="people", rows=rows)
await insert_rows(table="people", rows=[{"id": n} for n in range(2)] + rows)
await update_contact(contact_id="c1", changes={"tags": [word for word in "a b".split()]})
await call_mcp_tool("crm", "send_email", {"to": [one["email"] for one in people], "subject": "a", "body": "b"})
first = people[0]["email"]
await send_email(to=[first, "b@example.org"], subject="Hello", body="...")

issue = partial(get_issue, owner="acme", repo="rocket")
print((await issue(number=1))["title"])
again = partial(get_issue, "acme", repo="rocket", number="7")
print((await again(number=7))["title"])
wrong = partial(get_issue, ownr="acme")
try:
    await wrong(repo="rocket", number=1)
except TypeError as error:
    print(error)
