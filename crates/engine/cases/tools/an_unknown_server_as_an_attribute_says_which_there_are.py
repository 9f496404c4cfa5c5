# expect: raised AttributeError: there is no server 'github'. The servers: demo, time
# servers: demo time
import servers

servers.github.create_issue("a", "b", "c")
