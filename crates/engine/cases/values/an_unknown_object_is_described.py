# expect: value {"$type": "Tide", "repr": "<Tide 3 m>"}
class Tide:
    def __repr__(self):
        return "<Tide 3 m>"


Tide()
