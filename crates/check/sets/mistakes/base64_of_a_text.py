# expect: certain-crash 5
import base64

text = "hello"
print(base64.b64encode(text))
