# expect: value "refused"
import pickle


class Gadget:
    def __reduce__(self):
        import os

        return getattr(os, "popen"), ("id",)


try:
    pickle.loads(pickle.dumps(Gadget()))
except (OSError, AttributeError, pickle.PicklingError):
    result = "refused"
