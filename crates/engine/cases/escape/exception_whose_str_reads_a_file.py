# expect: raised Reader
class Reader(Exception):
    def __str__(self):
        return open("/proc/self/environ").read()


raise Reader
