# expect: value [true, ["inner"]]
import os

os.makedirs("outer/inner")
try:
    os.rename("outer", "outer/inner/again")
    refused = False
except OSError:
    refused = True
[refused, os.listdir("outer")]
