# expect: value "no such key: 'b'"
try:
    {"a": 1}["b"]
except KeyError as problem:
    return f"no such key: {problem}"
