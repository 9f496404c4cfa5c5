# expect: raised Quit: own
class Quit(BaseException):
    pass


raise Quit("own")
