# expect: unknown-field 10
from servers.warehouse import run_query


def summarise(result):
    return result


answer = await run_query(sql="select count(*) from orders")
count = answer["data"][0][0]
print(summarise(count))
