def to_roman(number: int) -> str:
    table = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]
    out = ""
    for value, letters in table:
        while number >= value:
            out += letters
            number -= value
    return out


{n: to_roman(n) for n in (4, 9, 14, 1994)}
