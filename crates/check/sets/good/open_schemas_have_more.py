from servers.forge import get_user

user = await get_user(login="ann")
print(user["names"], user["nickname"], user["follower"], user["companies"], user["logins"])
