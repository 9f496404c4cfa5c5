# expect: value ["ImportError", "ModuleNotFoundError", "AttributeError", true]
# servers: demo .absent.json
import servers.demo

found = []
try:
    from servers.demo import get_orders
except ImportError as error:
    found.append(error)
try:
    import servers.demo.get_orders
except ImportError as error:
    found.append(error)
try:
    servers.demo.get_orders
except AttributeError as error:
    found.append(error)
why = "demo.get_orders is held back; `tidegate tools accept demo.get_orders` accepts it"
[*[type(one).__name__ for one in found], all(str(one) == why for one in found)]
