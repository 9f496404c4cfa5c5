# expect: certain-crash 2
for tool in search_tools("issues", detail="full"):
    print(tool["name"])
