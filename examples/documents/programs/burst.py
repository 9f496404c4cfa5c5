# Something that no program here ever did: it copies the archive, again and again.
import asyncio
from servers.documents import get_document

copies = await asyncio.gather(*(get_document(id="letter-1") for _ in range(90)))
len(copies)
