print(int(" 42\n"), int("-7"), int("+3"), int("1_000"), int("ff", 16), int("0b11", 0), int("٣"), float("nan"), float(" 1e5 "), float("-inf"))
