# expect: value [true, false, false, 7]
# servers: demo
import servers

[hasattr(servers.demo, "echo"), hasattr(servers.demo, "ecco"), hasattr(servers, "github"), getattr(servers, "github", 7)]
