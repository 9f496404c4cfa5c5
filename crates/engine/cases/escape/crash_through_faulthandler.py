# expect: crashed
import faulthandler

faulthandler.enable()
faulthandler._sigsegv()
