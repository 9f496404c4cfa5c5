# expect: value [["etc"], []]
import io
import os
import zipfile

packed = io.BytesIO()
with zipfile.ZipFile(packed, "w") as archive:
    archive.writestr("../../etc/escaped", "x")
    archive.writestr("/etc/absolute", "x")
try:
    zipfile.ZipFile(packed).extractall("/workspace")
except OSError:
    os.makedirs("/workspace/etc", exist_ok=True)
[os.listdir("/workspace"), [path for path in ("/etc/escaped", "/etc/absolute") if os.path.exists(path)]]
