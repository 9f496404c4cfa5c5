# expect: raised ArgumentError: echo(): argument 'tags' is a bytes that JSON does not have; base64.b64encode
# servers: demo
from servers.demo import echo

await echo("x", tags=b"abc")
