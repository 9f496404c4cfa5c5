from servers.crm import create_contact, find_contacts

base = {"first_name": "Ann", "last_name": "Lee"}
full = {**base, "email": "ann@acme.io"}
await create_contact(**full)
await create_contact(**base, email="ann@acme.io")
await create_contact(**base, **{"email": "ann@acme.io"})
more = dict(base, email="x@y.z")
await create_contact(**more)
later = {"query": "ann"}
if len(base) > 1:
    later["limit"] = 5
print((await find_contacts(**later))["contacts"])
