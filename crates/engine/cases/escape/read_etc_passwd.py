# expect: raised FileNotFoundError
open("/etc/passwd").read()
