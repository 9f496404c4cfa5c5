# expect: certain-crash 5
import hashlib

text = "secret"
print(hashlib.sha256(text).hexdigest())
