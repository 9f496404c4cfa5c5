# expect: value ["caught", "caught"]
# limits: {"memory_mib": 40}
import bz2
import lzma

caught = []
squeezed = bz2.BZ2Compressor(1)
packed = b"".join(squeezed.compress(bytes(1 << 20)) for _ in range(48)) + squeezed.flush()
try:
    bz2.decompress(packed)
except MemoryError:
    caught.append("caught")
try:
    # A header that asks for a dictionary of almost 4 GiB.
    lzma.decompress(b"\x5d\xff\xff\xff\xff" + b"\xff" * 8 + bytes(64), format=lzma.FORMAT_ALONE)
except (MemoryError, lzma.LZMAError):
    caught.append("caught")
caught
