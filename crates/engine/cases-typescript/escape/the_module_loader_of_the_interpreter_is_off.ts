// expect: contained
await new Function("return import('/etc/passwd')")()
