# The session remembers the text: a second question fetches nothing.
{"moved in the winter": text.count("moved by a hand's breadth in the winter"), "due before the autumn": sum(repairs.values())}
