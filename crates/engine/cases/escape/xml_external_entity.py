# expect: value []
from lxml import etree

read = []
for options in ({}, {"resolve_entities": True, "load_dtd": True, "no_network": False}):
    try:
        parser = etree.XMLParser(**options)
        text = etree.fromstring('<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>', parser).text
        read += [text] if text else []
    except etree.XMLSyntaxError:
        pass
read
