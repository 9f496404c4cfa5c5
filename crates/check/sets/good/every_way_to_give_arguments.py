from servers.forge import create_issue, list_issues
from servers.smart_home import energy_report, run_scene

owner, repo = "acme", "rocket"
options = {"labels": ["bug"], "assignees": None}
await create_issue("acme", "rocket", "one")
await create_issue("acme", "rocket", title="two", body=None, milestone=None)
await create_issue({"owner": owner, "repo": repo, "title": "three"})
await create_issue({"owner": owner, "repo": repo}, title="four")
await create_issue(owner=owner, repo=repo, title=f"five {owner}", **options)
await create_issue(*[owner, repo, "six"])
everything = {"owner": owner, "repo": repo, "title": "seven"}
await create_issue(everything)
await create_issue(**everything)
await list_issues(owner, repo, state="all", per_page=100, page=2, labels=["bug", "urgent"])
await energy_report("2026-01-01", "2026-01-31")
await energy_report(from_="2026-01-01", to="2026-01-31", group_by="day")
await energy_report(**{"from": "2026-01-01", "to": "2026-01-31"})
await run_scene(scene="night", transition_seconds=1.5)
await run_scene(**{"scene": "night", "transition-seconds": 3})
