from servers.crm import find_contacts, send_email

people = (await find_contacts(query="team"))["contacts"]
await send_email(to=[person["email"] for person in people], subject="a", body="b")
await send_email(to=sorted({person["email"] for person in people}), subject="a", body="b")
await send_email(to=list(map(lambda person: person["email"], people)), subject="a", body="b")
await send_email(to=", ".join(person["email"] for person in people).split(", "), subject="a", body="b", cc=[])
await send_email(to=("a@b.c", "d@e.f"), subject="a", body=f"{len(people)} people")
