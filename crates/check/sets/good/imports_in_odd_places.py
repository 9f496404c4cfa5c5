def parse(text):
    import json as reader
    from collections import Counter as Bag
    return Bag(reader.loads(text))

try:
    import ujson as json
except ImportError:
    import json
try:
    from collections import OrderdDict
except ImportError:
    from collections import OrderedDict
print(parse("[1, 1]"), json.dumps({}), OrderedDict())
