try:
    raise "text"
except TypeError as error:
    print(error)
