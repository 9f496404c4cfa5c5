# expect: unknown-argument 10
from servers.files import write_text


class Saver:
    def __init__(self, folder):
        self.folder = folder

    async def save(self, name, text):
        return await write_text(path=f"{self.folder}/{name}", text=text)


await Saver("/out").save("a.txt", "hello")
