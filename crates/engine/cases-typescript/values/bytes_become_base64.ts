// expect: value {"$type": "bytes", "base64": "AAH/aGk="}
new Uint8Array([0, 1, 255, 104, 105])
