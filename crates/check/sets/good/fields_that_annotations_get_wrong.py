import datetime
from dataclasses import dataclass


@dataclass
class Record:
    id: int
    when: str
    tags: str = None
    count: int = 0

    def label(self):
        self.tags.append(1)
        return self.id.strip() + self.when.isoformat() + self.count.upper()


print(Record("x ", datetime.date(2020, 1, 1), [], "a").label())


class Settings:
    timeout: int = 5
    hosts: tuple = ()
    parent: "Settings" = None

    def go(self):
        self.hosts.append(1)
        return self.timeout["a"]


Settings.hosts = []
Settings.timeout = {"a": 1}
print(Settings().go())
settings = Settings()
settings.timeout = [1]
settings.timeout.append(2)
