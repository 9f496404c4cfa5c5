# expect: contained
import sys


def refuse(event, arguments):
    raise RuntimeError("refused by the program")


sys.addaudithook(refuse)
"installed"
