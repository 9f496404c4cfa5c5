# expect: raised Odd
class Odd(Exception):
    def __str__(self):
        return 7


raise Odd
