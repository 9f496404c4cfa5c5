# expect: value "refused"
# limits: {"memory_mib": 64, "file_bytes": 2000000}
import io
import zipfile

packed = io.BytesIO()
with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
    with archive.open("zeros", "w") as member:
        for _ in range(80):
            member.write(bytes(1 << 20))
try:
    zipfile.ZipFile(packed).read("zeros")
except MemoryError:
    pass
else:
    return "unpacked into memory"
try:
    zipfile.ZipFile(packed).extractall("/workspace")
except OSError:
    return "refused"
