from servers.forge import list_issues
from servers.smart_home import set_temperature

pages = 20 / 2
print(await list_issues(owner="acme", repo="rocket", page=int(pages), per_page=round(50.4)))
print(await set_temperature(device_id="t1", celsius=21))
