# expect: unknown-field 6
from servers.forge import list_issues


def line(issue):
    return f"#{issue['number']} {issue['titel']}"


found = await list_issues(owner="acme", repo="rocket")
print("\n".join(line(issue) for issue in found["issues"]))
