# expect: unknown-argument 8
import asyncio
from servers.warehouse import run_query
from servers.crm import create_contact

result = await run_query(sql="select first, last, mail from leads")
made = await asyncio.gather(*[
    create_contact(first_name=row[0], last_name=row[1], mail=row[2])
    for row in result["rows"]
])
print(len(made))
