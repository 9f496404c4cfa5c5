class Missing(Exception):
    def __init__(self, what, *, hint=None):
        super().__init__(what)
        self.hint = hint

try:
    raise Missing("x", hint="look")
except Missing as error:
    print(error.hint, error.args[0])
