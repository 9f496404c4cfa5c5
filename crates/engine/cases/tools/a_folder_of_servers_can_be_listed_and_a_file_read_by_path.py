# expect: value [true, true, true, ["no.py", "there is no file 'servers/demo/no.py'; list_directory('servers/demo') lists what there is"]]
# servers: demo
names = list_directory("servers/")
files = list_directory("/servers/demo")
try:
    read_file("servers/demo/no.py")
except FileNotFoundError as error:
    missing = ["no.py", str(error)]
["demo/" in names, "echo.py" in files, "def echo(" in read_file("servers/demo/echo.py"), missing]
