values = [3, 4, 5]
if not values:
    return "nothing"
for value in values:
    if value % 2 == 0:
        return {"first even": value}
return None
