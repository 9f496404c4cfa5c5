// expect: value {"when": "1970-01-01T00:00:00.000Z", "tags": ["a"], "n": 12345678901234567}
await call("echo", { when: new Date(0), tags: new Set(["a"]), n: 12345678901234567n })
