# expect: value 3
def first_even_after(start):
    while True:
        start += 1
        if start % 2 == 0:
            return start


first_even_after(1) + 1
