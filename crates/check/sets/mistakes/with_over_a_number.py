# expect: certain-crash 3
limit = 5
with limit:
    print("inside")
