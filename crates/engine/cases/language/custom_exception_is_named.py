# expect: raised TideError: too low: 3
class TideError(Exception):
    pass


raise TideError("too low: 3")
