# expect: unknown-field 5
from servers.forge import get_repository

repo = await get_repository(owner="acme", repo="rocket")
print(f"{repo['full_name']}: {repo['stargazers_count']:,} stars")
