from servers.crm import list_deals
from servers.forge import list_issues

deals = (await list_deals())["deals"]
print(max(deals, key=lambda deal: deal["amount"]), list(filter(lambda deal: deal["stage"] == "won", deals)))
print(max([{"worth": 1}], key=lambda deal: deal["worth"]), list(filter(lambda one: one["worth"], [{"worth": 2}])))
rows = deals
rows = [{"worth": deal["amount"]} for deal in rows]
print(min(rows, key=lambda row: row["worth"], default=None), list(filter(lambda row: row["worth"] > 3, rows)))
for deal in deals:
    deal["score"] = deal["amount"] / 2
print(max(deals, key=lambda deal: deal["score"], default=None))
answer = await list_issues(owner="acme", repo="rocket")
print(max(answer, key=lambda field: len(field)), max(answer["issues"], key=lambda issue: (issue["number"], issue.get("heading"))))
print(list(filter(lambda issue: "heading" in issue and issue["heading"], answer["issues"])))


def longest(rows, field):
    return max(rows, key=lambda row: row[field])


print(longest(deals, "amount"), longest([{"a": 1}], "a"))
