# expect: value 6
counter = 1
counter += 5
# --- next
# expect: value "typed"
label: str = "typed"
# --- next
# expect: value [1, 2]
left = right = [1, 2]
