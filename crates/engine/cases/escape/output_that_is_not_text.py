# expect: value "written"
import os

os.write(1, bytes(range(256)))
os.write(2, b"\xff\xfe\xed\xa0\x80")
"written"
