# expect: missing-argument 6
import asyncio
from servers import forge

repos = [("acme", "rocket"), ("acme", "anvil")]
found = await asyncio.gather(*[forge.get_repository(owner) for owner, name in repos])
print([one["stars"] for one in found])
