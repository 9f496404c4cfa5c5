# expect: value ["a", "b", "c! and d", 1]
# servers: demo
# freeze: true
# stdout: "{'text': 'e'}\n"
from servers.demo import slow

text = slow("a")["text"]
again = slow("b")
joined = f"{slow('c')['text']}! and {slow('d').get('text')}"
print(slow("e"))
[text, again["text"], joined, len(slow("f"))]
