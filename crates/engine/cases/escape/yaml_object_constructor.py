# expect: value "refused"
import yaml

try:
    yaml.unsafe_load("!!python/object/apply:subprocess.check_output [['id']]")
except Exception:
    result = "refused"
