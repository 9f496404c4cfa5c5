# expect: value [{"$type": "bytes", "base64": "aGk="}]
[bytearray(b"hi")]
