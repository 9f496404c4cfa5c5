from functools import partial
from servers.forge import create_issue, list_issues

report = partial(create_issue, "acme", "rocket")
made = await report("Leak", body="It leaks", labels=["bug"])
listing = partial(list_issues, owner="acme")
open_ones = partial(listing, repo="rocket", state="open")
print(made["number"], (await open_ones(state="closed"))["total"], report.func, listing.keywords)
