from servers.forge import list_issues

issues = []
page = 1
while True:
    found = await list_issues(owner="acme", repo="rocket", state="open", per_page=100, page=page)
    issues.extend(found["issues"])
    if len(found["issues"]) < 100:
        break
    page += 1
by_label = {}
for issue in issues:
    for label in issue["labels"]:
        by_label.setdefault(label, []).append(issue["number"])
{label: len(numbers) for label, numbers in by_label.items()}
