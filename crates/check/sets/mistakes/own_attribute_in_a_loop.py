# expect: certain-crash 14
from dataclasses import dataclass


@dataclass
class Person:
    name: str
    age: int


people = [Person("Ann", 31), Person("Bo", 42)]
oldest = max(people, key=lambda person: person.age)
for person in people:
    print(person.nmae, person is oldest)
