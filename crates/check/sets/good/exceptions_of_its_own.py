class TooSmall(Exception):
    def __init__(self, value):
        super().__init__(f"{value} is too small")
        self.value = value


def check(value):
    if value < 3:
        raise TooSmall(value)
    return value


caught = []
for value in range(5):
    try:
        check(value)
    except TooSmall as error:
        caught.append((error.value, str(error)))
    else:
        caught.append(value)
    finally:
        pass
caught
