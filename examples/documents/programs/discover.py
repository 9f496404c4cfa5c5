# What is there, without a single definition in the model's context: the tools are files.
files = [name for name in list_directory("servers/documents/") if name.endswith(".py")]
signature = read_file("servers/documents/get_document.py").split('@tool("documents", "get_document")')[1]
{"servers": list_directory("servers/"), "tools": files, "get_document": signature.split(":\n")[0].strip()}
