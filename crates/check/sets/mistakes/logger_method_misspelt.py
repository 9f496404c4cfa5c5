# expect: certain-crash 5
import logging

log = logging.getLogger("report")
log.warnning("nothing found")
