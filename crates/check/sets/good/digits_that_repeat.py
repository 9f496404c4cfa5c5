def repeated_digits(number: int) -> list[int]:
    seen, again = set(), []
    for digit in map(int, str(abs(number))):
        if digit in seen and digit not in again:
            again.append(digit)
        seen.add(digit)
    return again


assert repeated_digits(1223334) == [2, 3]
assert repeated_digits(7) == []
repeated_digits(998877)
