# expect: unknown-tool 4
import forge

repo = await forge.get_repo(owner="acme", repo="rocket")
print(repo["stars"])
