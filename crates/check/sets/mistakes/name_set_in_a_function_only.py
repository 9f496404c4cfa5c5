# expect: undefined-name 6
def prepare():
    limit = 5

prepare()
print(limit)
