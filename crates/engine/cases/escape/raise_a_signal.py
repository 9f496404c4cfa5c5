# expect: raised KeyboardInterrupt
import signal

signal.raise_signal(signal.SIGINT)
