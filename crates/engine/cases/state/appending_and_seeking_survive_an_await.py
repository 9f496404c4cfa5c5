# expect: value "aXcdE"
# freeze: true
from tidegate import call

with open("edit.txt", "wb+") as edit:
    edit.write(b"abcd")
    await call("later")
    edit.seek(1)
    edit.write(b"X")
    await call("later")
with open("edit.txt", "ab") as edit:
    await call("later")
    edit.write(b"E")
open("edit.txt").read()
