# expect: {"sorted": ["Büsum", "Husum", "Kiel"], "counted": 3, "refused": "Command not allowed: rm"}

from servers.shell import shell_execute


async def shell(*words, **options):
    return await shell_execute(list(words), directory=work, **options)


ordered = await shell("sort", stdin="Kiel\nHusum\nBüsum\n")
counted = await shell("wc", "-l", "harbours.txt")
try:
    refused = await shell("rm", "harbours.txt")
except ToolError as error:
    refused = str(error).partition("Error executing command: ")[2]

{"sorted": ordered.splitlines(), "counted": int(counted.split()[0]), "refused": refused}
