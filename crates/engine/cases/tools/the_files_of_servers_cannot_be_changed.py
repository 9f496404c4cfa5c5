# expect: raised OSError
# servers: demo
open("/servers/demo/echo.py", "w").write("x")
