# expect: raised ModuleNotFoundError: servers.dmo
# servers: demo time
# hint: Did you mean 'servers.demo'? The servers: demo, time.
import servers.dmo
