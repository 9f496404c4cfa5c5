from servers.forge import list_issues
from servers.weather import forecast

wanted = 500
print((await list_issues(owner="acme", repo="rocket", per_page=min(wanted, 100)))["total"])
for days in range(1, 15):
    print((await forecast(city="Oslo", days=days))["city"])
