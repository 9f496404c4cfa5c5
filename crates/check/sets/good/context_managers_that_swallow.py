from servers.weather import current


class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return True


class QuietAsync:
    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        return True


with Quiet():
    print(len(5))
with Quiet() as quiet:
    print(nothing_of_this_name)
quiet = Quiet()
with quiet:
    await current(town="Bonn")
async with QuietAsync():
    1 + "a"
print("done")
