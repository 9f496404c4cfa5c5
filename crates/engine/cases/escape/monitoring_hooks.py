# expect: value 3
import sys

tool = sys.monitoring.DEBUGGER_ID
sys.monitoring.use_tool_id(tool, "escape")
sys.monitoring.register_callback(tool, sys.monitoring.events.PY_START, lambda *event: None)
sys.monitoring.set_events(tool, sys.monitoring.events.PY_START)
sum([1, 2])
