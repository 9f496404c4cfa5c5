# expect: raised OSError
# limits: {"workspace_bytes": 1000}
# hint: `workspace-bytes` is 1000 bytes here
with open("f", "wb") as file:
    file.write(bytes(2000))
