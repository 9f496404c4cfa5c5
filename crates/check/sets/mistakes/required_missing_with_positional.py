# expect: missing-argument 4
from servers.forge import add_comment

await add_comment("acme", "rocket", body="Thanks, merged.")
