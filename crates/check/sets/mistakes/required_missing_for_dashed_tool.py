# expect: missing-argument 4
from servers.forge import merge_request

await merge_request(owner="acme", repo="rocket", method="squash")
