# expect: certain-crash 4
import logging

logging.basicConfig(level=logging.INFORMATION)
