# expect: wrong-value 4
from servers import forge

await forge.merge_request("acme", "rocket", 12, method="fast-forward")
