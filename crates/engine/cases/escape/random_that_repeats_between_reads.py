# expect: value true
import os
import secrets
import uuid

len({os.urandom(16), os.urandom(16), secrets.token_bytes(16), uuid.uuid4().bytes}) == 4
