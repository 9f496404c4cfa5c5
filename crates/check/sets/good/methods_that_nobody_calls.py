from servers.weather import current


class Report:
    def __init__(self, reading):
        self.reading = reading

    def line(self):
        return self.reading["conditions"]

    def old_line(self):
        return unicode(self.reading["conditions"])


class Special(Report):
    def shown(self):
        return colored(self.line())


print(Special(await current(city="Oslo")).line())
