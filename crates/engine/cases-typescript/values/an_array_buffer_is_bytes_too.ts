// expect: value {"$type": "bytes", "base64": "aGk="}
new TextEncoder().encode("hi").buffer
