# expect: value ["a", "b"]
# servers: demo
# freeze: true
import servers

say = servers.demo.slow
first = say("a")
second = servers.demo.slow("b")
[first["text"], second["text"]]
