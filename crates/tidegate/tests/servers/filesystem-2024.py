# expect: [["a.txt", "b.txt", "c.txt"], "second", [{"name": "notes", "type": "directory"}]]

import asyncio

from servers.filesystem_2024 import create_directory, directory_tree, list_directory, read_file, write_file

folder = f"{work}/notes"
await create_directory(folder)
async with asyncio.TaskGroup() as group:
    for name, text in [("a", "first"), ("b", "second"), ("c", "third")]:
        group.create_task(write_file(path=f"{folder}/{name}.txt", content=text))

lines = (await list_directory(folder)).splitlines()
names = sorted(line.removeprefix("[FILE] ") for line in lines)
# This revision has no structured content; a text that is a JSON array arrives as a list.
tree = await directory_tree(work)
[names, await read_file(f"{folder}/b.txt"), [{"name": one["name"], "type": one["type"]} for one in tree]]
