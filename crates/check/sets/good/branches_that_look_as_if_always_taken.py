if __name__ != "__main__":
    print("a" + 1)
if __name__ == "worker":
    print("a" + 1)
if 0.0:
    print("a" + 1)
if 0j:
    print("a" + 1)
while 0x0:
    print("a" + 1)
if __name__ == "__main__" == "b":
    print("a" + 1)
print("ok")
