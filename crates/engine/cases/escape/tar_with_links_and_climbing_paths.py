# expect: value []
import io
import os
import tarfile

packed = io.BytesIO()
with tarfile.open(fileobj=packed, mode="w") as archive:
    for name, kind, target in (("../escaped", tarfile.REGTYPE, ""), ("link", tarfile.SYMTYPE, "/etc"), ("hard", tarfile.LNKTYPE, "/etc/passwd"), ("dev", tarfile.CHRTYPE, "")):
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, target
        archive.addfile(member)
for unsafe in ("fully_trusted", "data"):
    packed.seek(0)
    with tarfile.open(fileobj=packed) as archive:
        for member in archive:
            try:
                archive.extract(member, "/workspace", filter=unsafe)
            except Exception:
                pass
[path for path in ("/escaped", "/workspace/link/passwd", "/workspace/hard") if os.path.exists(path) and open(path).read()]
