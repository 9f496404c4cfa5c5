# expect: raised OSError
# limits: {"workspace_bytes": 1000}
# hint: `workspace-bytes` is 1000 bytes here
open("f", "wb").write(bytes(2000))
