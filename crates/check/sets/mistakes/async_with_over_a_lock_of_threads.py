# expect: certain-crash 5
import threading

lock = threading.Lock()
async with lock:
    print("inside")
