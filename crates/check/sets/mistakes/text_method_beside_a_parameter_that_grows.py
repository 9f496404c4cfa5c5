# expect: certain-crash 7
def fill(rows, more):
    for one in more:
        rows.append(one)


print("a,b".splitt(","))
