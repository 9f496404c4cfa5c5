class Client:
    def fetch(self):
        return self.missing + 1

    def count(self):
        return "a" + 1


client = Client()
client.fetch = lambda: 3
Client.count = lambda self: 4
print(client.fetch(), client.count())


class Text:
    def __new__(cls):
        return "text"

    def upper(self):
        return "a" + 1


class Odd:
    def __getattribute__(self, name):
        return lambda: name

    def count(self):
        return "a" + 1


class Meta(type):
    def __call__(cls):
        return "made"


class Made(metaclass=Meta):
    def __init__(self):
        self.count = "a" + 1


print(Text().upper(), Odd().count(), Made())
