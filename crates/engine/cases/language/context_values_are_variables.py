# context: {"city": "Kiel'); raise SystemExit('pasted", "levels": [1.5, null, true], "nested": {"a": {"b": []}}}
# expect: value ["Kiel'); raise SystemExit('pasted", [1.5, null, true], {"a": {"b": []}}]
[city, levels, nested]
