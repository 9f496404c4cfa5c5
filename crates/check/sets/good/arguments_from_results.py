from servers import crm, forge

found = await crm.find_contacts(query="acme", filters={"company": "Acme", "tag": "vip"})
ids = [contact["id"] for contact in found["contacts"]]
for contact_id in ids[:5]:
    contact = await crm.get_contact(contact_id)
    await crm.log_activity(contact_id=contact["id"], kind="email", notes=f"wrote to {contact['email']}")
    await crm.update_contact(contact["id"], {"tags": [*contact["tags"], "written"]})
issues = (await forge.list_issues("acme", "rocket"))["issues"]
numbers = sorted(issue["number"] for issue in issues if issue["state"] == "open")
for number in numbers:
    await forge.add_comment("acme", "rocket", number, "ping")
