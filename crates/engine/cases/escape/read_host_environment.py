# expect: raised FileNotFoundError
open("/proc/self/environ").read()
