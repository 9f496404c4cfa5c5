# expect: raised AttributeError: servers.demo has no tool 'get_device'. Did you mean 'get_devices'?
# servers: demo
import servers.demo as demo

await demo.get_device()
