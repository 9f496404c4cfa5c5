# expect: certain-crash 6
import io
import zipfile

archive = zipfile.ZipFile(io.BytesIO(), "w")
archive.write_str("a.txt", "a")
