import servers.crm as crm

if hasattr(crm, "frob"):
    print(await crm.frob())
print("done")
