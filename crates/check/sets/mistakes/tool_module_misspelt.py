# expect: unknown-tool 2
import servers.files.read_file

text = await servers.files.read_text(path="/a.txt")
print(text)
