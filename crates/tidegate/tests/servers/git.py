# expect: {"author": "Ada", "message": "Add the tide table", "branches": ["main", "tides"], "clean": true, "unknown": true}

from servers.git import git_add, git_commit, git_create_branch

repo = f"{work}/repo"
await git_add(repo, ["tides.txt"])
await git_commit(repo_path=repo, message="Add the tide table")
await git_create_branch(repo, "tides")

log = await call_mcp_tool("git", "git_log", {"repo_path": repo, "max_count": 1})
fields = dict(line.split(": ", 1) for line in log.splitlines() if ": " in line)
branches = await call_mcp_tool("git", "git_branch", {"repo_path": repo, "branch_type": "local"})
status = await call_mcp_tool("git_status", {"repo_path": repo})
try:
    await call_mcp_tool("git", "git_show", {"repo_path": repo, "revision": "nowhere"})
    unknown = False
except ToolError as error:
    unknown = "nowhere" in str(error)

{
    "author": fields["Author"],
    "message": fields["Message"],
    "branches": [line.strip("* ") for line in branches.splitlines()],
    "clean": "nothing to commit" in status,
    "unknown": unknown,
}
