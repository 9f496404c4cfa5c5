# expect: value "deep"
# servers: demo
import servers.demo.echo as module

(await module.echo("deep"))["text"]
