# What a program can find of the credential: nothing.
import os
from servers.documents import get_login

login = await get_login()
{"login": login, "in the environment": [name for name in os.environ if "TOKEN" in name]}
