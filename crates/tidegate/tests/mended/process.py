# said: do it in Python
# value: "ready"
import subprocess
return subprocess.run(['echo', 'ready'], capture_output=True, text=True).stdout.strip()
# mended:
return 'ready'
