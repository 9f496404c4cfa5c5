# expect: certain-crash 5
import queue

waiting = queue.Queue()
waiting.push(1)
