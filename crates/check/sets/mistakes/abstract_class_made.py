# expect: certain-crash 10
from abc import ABC, abstractmethod


class Shape(ABC):
    @abstractmethod
    def area(self): ...


shape = Shape()
