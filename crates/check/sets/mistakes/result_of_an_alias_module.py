# expect: unknown-argument 4
from servers import crm as customers

answer = await customers.find_contacts(query="ann", max=5)
print(answer["contacts"])
