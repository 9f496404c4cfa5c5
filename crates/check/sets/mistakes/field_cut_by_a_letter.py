# expect: unknown-field 5
from servers.forge import get_user

user = await get_user(login="octo")
print(user["nam"])
