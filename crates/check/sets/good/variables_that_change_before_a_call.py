from servers.crm import update_contact, find_contacts

changes = {"mail": "new@example.org"}
changes["email"] = changes.pop("mail")
await update_contact(contact_id="c-17", changes=changes)
filters = []
for field in ("company", "email"):
    filters.append({"field": field, "op": "eq", "value": "x"})
print(len(filters))

where = {"place": {"lat": 1.0}}
where["place"]["lon"] = 2.0
inside = {"changes": {"mail": "x"}}
inner = inside["changes"]
inner["email"] = inner.pop("mail")
await update_contact(contact_id="c-18", **inside)
