# expect: {"head": "Kiel\nHusum", "tail": "Dagebüll\n", "listed": ["[FILE] harbours.txt"], "outside": true}

import servers.filesystem as fs

path = f"{work}/harbours.txt"
await fs.write_file(path, "Kiel\nHusum\nBüsum\n")
await fs.edit_file(path=path, edits=[{"oldText": "Büsum", "newText": "Dagebüll"}])

head = await fs.read_text_file(path, head=2)
whole = await fs.read_text_file(path)
listed = await fs.list_directory(work)

try:
    await fs.read_text_file("/etc/passwd")
    outside = False
except ToolError as error:
    outside = "outside allowed directories" in str(error)

{
    "head": head["content"],
    "tail": whole["content"].removeprefix("Kiel\nHusum\n"),
    "listed": listed["content"].splitlines(),
    "outside": outside,
}
