// expect: value {"$type": "Map", "items": [[{"k": 1}, "v"]]}
new Map([[{ k: 1 }, "v"]])
