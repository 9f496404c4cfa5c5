# expect: value {"text": "ü", "numbers": [1, 2.5], "flag": true, "nothing": null, "deep": {"a": [{}]}}
# freeze: true
from tidegate import call

await call("later", text="ü", numbers=[1, 2.5], flag=True, nothing=None, deep={"a": [{}]})
