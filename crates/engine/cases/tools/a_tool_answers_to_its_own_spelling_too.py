# expect: value [true, true, "getDocument", {"documentId": "7"}]
# servers: demo google_drive google-drive
import importlib

from servers.demo import createIssue, create_issue
from servers.google_drive.getDocument import getDocument

original = importlib.import_module("servers.google-drive.getDocument")
sent = await getDocument("7")
[createIssue is create_issue, callable(original), sent["tool"], sent["arguments"]]
