# expect: value {"$type": "Gadget", "repr": "Gadget"}
class Gadget:
    def __reduce__(self):
        return print, ("the host unpickled a guest object",)

    def __repr__(self):
        return "Gadget"


Gadget()
