# expect: value "later"
def read():
    return late


late = "later"
read()
