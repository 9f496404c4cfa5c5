from servers.warehouse import run_query

result = await run_query(sql="select 1, 2")
first, *others = result["rows"] or [[0, 0]]
head, *_ = result["columns"] or ["none"]
print(first, others, head, [*result["columns"], "more"], {*result}, dict(zip(result["columns"], first)))
for number, (one, *rest) in enumerate(result["rows"]):
    print(number, one, rest)
