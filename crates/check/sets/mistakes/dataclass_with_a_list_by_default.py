# expect: certain-crash 7
from dataclasses import dataclass


@dataclass
class Report:
    rows: list = []

print(Report())
