# expect: raised RecursionError
def again():
    return again()


again()
