# expect: unknown-server 2
from servers.slack import post_message

await post_message(channel="#general", text="deployed")
