import servers.crm as crm

try:
    load = getattr(crm, "list_leads")
except AttributeError:
    load = crm.list_deals
print(await load())
