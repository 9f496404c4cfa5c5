# expect: certain-crash 3
with open("made.txt", "w") as file:
    file.writeline("a")
