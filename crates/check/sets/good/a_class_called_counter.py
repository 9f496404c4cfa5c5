class Counter:
    def __init__(self):
        self.__dict__["seen"] = 0

    def __getattr__(self, name):
        return 5

print(Counter().whatever + 1)
