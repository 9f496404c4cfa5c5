# A server is a module, as one would write it.
import data; devices = await data.get_devices()

kinds = {}
for one in devices["devices"]:
    kinds[one["kind"]] = kinds.get(one["kind"], 0) + 1
{"devices": devices["count"], "kinds": kinds}
