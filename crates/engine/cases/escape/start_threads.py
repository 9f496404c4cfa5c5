# expect: value []
import threading
from concurrent.futures import ThreadPoolExecutor

started = []


def spin():
    while True:
        pass


for attempt in (
    lambda: threading.Thread(target=spin, daemon=True).start(),
    lambda: threading.Timer(0, spin).start(),
    lambda: ThreadPoolExecutor().submit(spin),
    lambda: __import__("_thread").start_new_thread(spin, ()),
):
    try:
        attempt()
        started.append("started")
    except Exception:
        pass
started
