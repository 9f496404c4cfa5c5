# expect: raised ZeroDivisionError
# freeze: true
kept = "before the exception"
with open("kept.txt", "w") as file:
    file.write("kept")
1 / 0
# --- next
# expect: value ["before the exception", "kept"]
[kept, open("kept.txt").read()]
