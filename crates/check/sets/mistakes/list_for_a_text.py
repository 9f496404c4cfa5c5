# expect: wrong-type 4
from servers.files import read_text

text = await read_text(path=["/a.txt", "/b.txt"])
print(text)
