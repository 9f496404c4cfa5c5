# expect: raised OSError
with open("sparse", "wb", buffering=0) as file:
    file.seek(1 << 40)
    file.write(b"x")
