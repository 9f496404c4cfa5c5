from datetime import datetime
from servers.forge import list_issues
from servers.warehouse import list_tables

found = await list_issues("acme", "rocket")
for issue in found["issues"]:
    issue["created_at"] = datetime.fromisoformat(issue["created_at"])
    issue["labels"] = ", ".join(issue["labels"])
newest = max(issue["created_at"].year for issue in found["issues"])
print(newest, found["issues"][0]["labels"].split(", "))
tables = (await list_tables())["tables"]
for table in tables:
    for key in ("rows", "size_mb"):
        table[key] = str(table[key])
print(" ".join(table["rows"].rjust(8) + table["size_mb"] for table in tables))
