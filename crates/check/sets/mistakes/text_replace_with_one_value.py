# expect: certain-crash 3
title = "a-b"
print(title.replace("-"))
