from servers.crm import find_contacts, list_deals

contacts = {contact["id"]: contact for contact in (await find_contacts("a"))["contacts"]}
rows = []
for deal in (await list_deals(stage="won"))["deals"]:
    contact = contacts.get(deal["contact_id"], {})
    rows.append({**deal, "email": contact.get("email"), "weight": deal["amount"] * 0.1})
rows.sort(key=lambda row: row["weight"], reverse=True)
merged = [dict(deal, rank=rank) for rank, deal in enumerate(rows)]
best = merged[0]["rank"] if merged else None
total = sum(row["weight"] for row in rows)
extra = {"deals": rows, "total": total, "best": best}
extra["note"] = "ok"
extra["note"].upper()
