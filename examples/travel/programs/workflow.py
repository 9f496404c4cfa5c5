# From a word to a pull request: five tools, each of which needs what the one before it did.
from servers.github import search_repositories, get_file_contents, push_files, create_pull_request, create_issue

owner, repo = (await search_repositories(query="high water"))["items"][0]["full_name"].split("/")
file = await get_file_contents(owner=owner, repo=repo, path="data/high.csv")
days = [line.split(",") for line in file["content"].split()[1:]]
highest = max(days, key=lambda one: float(one[1]))
report = f"# Highest water\n\n{highest[0]}: {highest[1]} m, of {len(days)} days.\n"
await push_files(owner=owner, repo=repo, branch="report", message="Report the highest water", files=[{"path": "REPORT.md", "content": report}])
pull = await create_pull_request(owner=owner, repo=repo, title="Report the highest water", head="report", base="main")
issue = await create_issue(owner=owner, repo=repo, title="Look at the report", body=f"See #{pull['number']}")
back = await get_file_contents(owner=owner, repo=repo, path="REPORT.md", branch="report")
{"repository": f"{owner}/{repo}", "pull request": pull, "issue": issue["number"], "on the branch": back["content"].splitlines()[-1]}
