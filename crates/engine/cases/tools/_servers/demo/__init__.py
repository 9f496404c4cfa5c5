"""Demo, version 1.0: 8 tools.

    from servers.demo import get_devices
"""
from servers import lazy

__getattr__, __dir__, __all__ = lazy(__name__, {
    "get_devices": "get_devices", "getDevices": "get_devices",
    "echo": "echo",
    "create_issue": "create_issue", "createIssue": "create_issue",
    "answer": "answer",
    "fail": "fail",
    "slow": "slow",
    "search": "search",
    "anything": "anything",
})
