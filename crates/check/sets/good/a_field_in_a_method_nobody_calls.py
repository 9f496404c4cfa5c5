from servers.forge import get_issue

class View:
    def __init__(self, issue):
        self.issue = issue

    def old(self):
        return self.issue["titel"]

    def new(self):
        return self.issue["title"]

print(View(await get_issue(owner="acme", repo="rocket", number=1)).new())
