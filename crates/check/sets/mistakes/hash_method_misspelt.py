# expect: certain-crash 4
import hashlib

print(hashlib.sha256(b"a").hex_digest())
