# expect: raised AttributeError: fork
import os

while True:
    os.fork()
