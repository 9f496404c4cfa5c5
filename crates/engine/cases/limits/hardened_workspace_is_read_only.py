# expect: raised OSError
# level: hardened
open("/workspace/new.txt", "w")
