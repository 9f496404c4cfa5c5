# context: {"given": {"n": 9007199254740993, "f": 1e-7, "s": "żółć\u0000", "l": [[], {}], "b": false, "z": null}}
# expect: value {"n": 9007199254740993, "f": 1e-7, "s": "żółć\u0000", "l": [[], {}], "b": false, "z": null}
given
