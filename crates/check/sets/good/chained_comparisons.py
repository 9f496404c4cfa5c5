def grade(score):
    if 90 <= score <= 100:
        return "A"
    return "B" if score > 80 else "C" if score > 70 else "F"


[grade(s) for s in (95, 85, 75, 10)] + [1 < 2 < 3 != 4]
