# expect: value []
import gc

hits = []
for holder in gc.get_objects():
    if type(holder) is dict:
        for value in list(holder.values()):
            if type(value) is str and len(value) < 200:
                start, _, rest = value.partition("/")
                if start == "" and rest.split("/")[0] in ("home", "root", "Users", "work") and rest.count("/"):
                    hits.append(value)
hits
