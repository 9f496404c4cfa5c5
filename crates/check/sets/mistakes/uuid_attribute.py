# expect: certain-crash 4
import uuid

print(uuid.uuid4().hexa)
