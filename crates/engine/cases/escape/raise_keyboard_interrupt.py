# expect: raised KeyboardInterrupt: stop
raise KeyboardInterrupt("stop")
