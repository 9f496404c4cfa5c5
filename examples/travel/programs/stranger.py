# Somebody asks for rows of somebody else.
from servers.travel import get_expenses

try:
    seen = len((await get_expenses(user_id=other))["expenses"])
except PolicyError as error:
    seen = str(error).splitlines()[0]
seen
