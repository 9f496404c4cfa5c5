# expect: unknown-argument 4
from servers.files import move_file

await move_file("/a.txt", "/b.txt", source="/c.txt")
