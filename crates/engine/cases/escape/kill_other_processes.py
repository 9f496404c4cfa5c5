# expect: value []
import os
import signal

sent = []
for pid in (1, 0, -1, 42):
    try:
        os.kill(pid, signal.SIGTERM)
        sent.append(pid)
    except Exception:
        pass
sent
