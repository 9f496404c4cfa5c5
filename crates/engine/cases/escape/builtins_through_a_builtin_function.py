# expect: raised FileNotFoundError
print.__self__.open("/etc/passwd")
