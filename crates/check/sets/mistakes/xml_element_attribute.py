# expect: certain-crash 5
import xml.etree.ElementTree as ET

root = ET.fromstring("<a><b>1</b></a>")
print(root.findText("b"))
