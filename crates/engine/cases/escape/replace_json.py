# expect: value {"a": [1, 2]}
import json

json.dumps = json.loads = lambda *args, **kwargs: '{"op": "done", "value": "forged"}'
json.JSONEncoder.encode = None
json.JSONEncoder.default = None
json.encoder.encode_basestring_ascii = None
json.decoder.JSONDecoder.decode = None
{"a": [1, 2]}
