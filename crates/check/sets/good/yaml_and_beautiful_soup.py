import yaml
from bs4 import BeautifulSoup

config = yaml.safe_load("name: tide\nlevels: [1, 2]\n")
soup = BeautifulSoup("<ul><li>a</li><li>b</li></ul>", "html.parser")
[config["levels"][0], [item.get_text() for item in soup.find_all("li")]]
