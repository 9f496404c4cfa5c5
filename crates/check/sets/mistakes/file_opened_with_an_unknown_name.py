# expect: certain-crash 2
with open("notes.txt", "w", encodng="utf-8") as file:
    file.write("tide")
