# expect: value []
import os

os.makedirs("a/b", exist_ok=True)
read = []
for path in (
    "../etc/passwd",
    "/workspace/../etc/passwd",
    "a/b/../../../etc/passwd",
    "/workspace/a/../../etc/passwd",
    "./././../proc/self/environ",
    "//etc/passwd",
    "/workspace//..//..//etc/passwd",
    "/servers/../../etc/passwd",
    "/usr/local/lib/../../../etc/passwd",
    "a/b/" + "../" * 100 + "etc/passwd",
):
    try:
        read.append(open(path).read())
    except OSError:
        pass
read
