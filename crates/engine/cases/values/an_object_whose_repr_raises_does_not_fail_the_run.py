# expect: contained
# stdout: "reached the end\n"
class Broken:
    def __repr__(self):
        raise RuntimeError("no description")


print("reached the end")
Broken()
