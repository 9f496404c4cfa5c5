# expect: raised MemoryError
# limits: {"memory_mib": 64}
import gzip
import zlib

packer = zlib.compressobj(wbits=31)
packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(100)) + packer.flush()
gzip.decompress(packed)
