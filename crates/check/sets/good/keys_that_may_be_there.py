from servers.forge import list_issues

found = await list_issues(owner="acme", repo="rocket")
rows = []
for issue in found["issues"]:
    issue["score"] = issue["comments"] * 2
    reactions = issue["reactions"] if "reactions" in issue else 0
    milestone = issue.get("milestone", {}).get("title", "-")
    if issue.get("locked"):
        print(issue["locked"])
    rows.append((issue["score"], reactions, milestone, issue["author"].get("name") or issue["author"]["login"]))
sorted(rows, reverse=True)
