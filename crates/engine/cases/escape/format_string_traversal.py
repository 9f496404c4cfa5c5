# expect: value true
class Probe:
    def __init__(self):
        pass


text = "{0.__init__.__globals__}".format(Probe())
"environ(" not in text and "/home/" not in text
