# expect: unknown-tool 4
import servers

deals = await servers.forge.list_deals(stage="won")
print(deals)
