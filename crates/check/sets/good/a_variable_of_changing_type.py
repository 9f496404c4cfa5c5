value = "12"
value = int(value)
value = [value] * 2
value = {"items": value}
value["items"][0] + 1
