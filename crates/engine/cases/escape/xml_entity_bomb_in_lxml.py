# expect: raised XMLSyntaxError
from lxml import etree

entities = '<!ENTITY e0 "lollollollol">' + "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
etree.fromstring(f"<!DOCTYPE a [{entities}]><a>&e9;</a>")
