# expect: unknown-tool 3
async def main():
    from servers.forge import get_issues

    return await get_issues(owner="acme", repo="rocket")


await main()
