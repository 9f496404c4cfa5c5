# expect: value {"$type": "bytes", "base64": "AAH/aGk="}
b"\x00\x01\xffhi"
