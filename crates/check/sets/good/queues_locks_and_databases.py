import asyncio
import hashlib
import io
import logging
import queue
import sqlite3
import threading
import zipfile
import xml.etree.ElementTree as ET
from collections import ChainMap, Counter, OrderedDict, deque
from string import Template

waiting = asyncio.Queue(maxsize=3)
await waiting.put({"a": 1})
waiting.put_nowait({"a": 2})
first = (await waiting.get())["a"]
lock, limit, done = asyncio.Lock(), asyncio.Semaphore(2), asyncio.Event()
async with lock, limit, asyncio.timeout(5):
    done.set()
await done.wait()
plain = queue.Queue()
plain.put(1)
with threading.Lock():
    print(plain.get(timeout=1), plain.empty(), first)
database = sqlite3.connect(":memory:")
database.row_factory = sqlite3.Row
with database:
    database.execute("create table t (a int, b text)")
    database.executemany("insert into t values (?, ?)", [(1, "x"), (2, "y")])
cursor = database.cursor()
rows = cursor.execute("select * from t").fetchall()
print([dict(row) for row in rows], cursor.description[0][0], [row["b"] for row in database.execute("select b from t")])
log = logging.getLogger("report")
log.addHandler(logging.NullHandler())
log.setLevel(logging.INFO)
log.notice = lambda text: log.info("notice: %s", text)
log.notice("done")
archive = zipfile.ZipFile(io.BytesIO(), "w", compression=zipfile.ZIP_DEFLATED)
archive.writestr("a.txt", "a")
print(archive.namelist(), archive.metadata_encoding, hashlib.sha256("a".encode()).hexdigest()[:4])
root = ET.fromstring("<a><b c='1'>2</b></a>")
print(root.find("b").get("c"), root.findtext("b"), [child.tag for child in root], root[0].text)
order = OrderedDict(a=1, b=2)
order.move_to_end("a")
both = ChainMap({"a": 1}, order)
last = deque([1, 2, 3], maxlen=2)
last.rotate(1)
print(Template("$who is $what").safe_substitute(who="a"), Counter("aab").most_common(1), both.maps[0], last.popleft())


class Event:
    def __init__(self, name):
        self.name = name
        self.at = None

    def shift(self, hours):
        return [self.name, hours]


event = Event("start")
print(event.shift(3)[0], event.at)
async with asyncio.TaskGroup() as group:
    task = group.create_task(asyncio.sleep(0, result=7))
print(task.result(), await asyncio.wait_for(asyncio.sleep(0, "slept"), timeout=1))
