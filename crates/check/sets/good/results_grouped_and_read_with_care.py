from collections import defaultdict
from servers.crm import list_deals
from servers.files import list_folder
from servers.forge import listCommits

deals = (await list_deals())["deals"]
groups = defaultdict(list)
for deal in deals:
    groups[deal["stage"]].append(deal)
for stage, some in groups.items():
    print(stage, sum(deal["amount"] for deal in some), some[0]["title"].upper())
mixed = {}
for deal in deals:
    bucket = mixed.setdefault(deal["stage"], [])
    bucket.append({"ammount": deal["amount"]})
    mixed[deal["stage"]].append({**deal, "ammount": 1})
print([one["ammount"] for some in mixed.values() for one in some])
totals = {}
for deal in deals:
    totals.setdefault(deal["currency"], []).append(deal["amount"])
print({name: sum(amounts) for name, amounts in totals.items()})
other = defaultdict(list)
for deal in deals:
    other[deal["id"]].append(deal)
    same = other[deal["id"]]
    same.append({"curency": "none"})
print([one.get("curency") for some in other.values() for one in some], [some[-1]["curency"] for some in other.values()])
entry = next((one for one in (await list_folder(path="/"))["entries"] if one["kind"] == "file"), None)
print(entry["size"] if entry else 0)
last = None
for commit in (await listCommits(owner="a", repo="b"))["result"]:
    last = commit
    try:
        print(commit["mesage"])
    except KeyError:
        print(commit["message"].splitlines()[0])
try:
    print(last["mesage"])
except TypeError:
    print("none")
