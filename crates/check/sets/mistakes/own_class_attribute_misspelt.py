# expect: certain-crash 7
class Limits:
    MOST = 10
    LEAST = 1


print(Limits.MAXIMUM - Limits.LEAST)
