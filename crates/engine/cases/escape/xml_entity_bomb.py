# expect: raised ParseError
import xml.etree.ElementTree as tree

entities = '<!ENTITY e0 "lollollollol">' + "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
tree.fromstring(f"<!DOCTYPE a [{entities}]><a>&e9;</a>")
