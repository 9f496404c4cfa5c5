# expect: value [1, {"$type": "Odd", "repr": "Odd()"}, 2]
class Odd:
    def __repr__(self):
        return "Odd()"


[1, Odd(), 2]
