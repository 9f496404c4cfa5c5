from servers.forge import get_issue, get_repository

issue = await get_issue("acme", "rocket", 1)
body = issue["body"]
words = len(body.split()) if body else 0
repo = await get_repository("acme", "rocket")
language = (repo["language"] or "none").lower()
name = issue["author"]["name"]
print(name.upper() if name is not None else issue["author"]["login"])
{"words": words, "language": language}
