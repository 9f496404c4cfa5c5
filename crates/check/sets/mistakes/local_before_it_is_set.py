# expect: undefined-name 5
total = 0

def add(amount):
    total += amount

add(3)
