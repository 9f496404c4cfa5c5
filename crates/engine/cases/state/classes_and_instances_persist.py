# expect: value 1
# freeze: true
class Counter:
    made = 0

    def __init__(self):
        Counter.made += 1
        self.n = 0

    def bump(self):
        self.n += 1
        return self.n


counter = Counter()
counter.bump()
# --- next
# expect: value [2, 2, true]
Counter()
[counter.bump(), Counter.made, isinstance(counter, Counter)]
