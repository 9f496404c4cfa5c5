# expect: value true
try:
    import urllib.request

    urllib.request.urlopen("file:///etc/passwd").read()
    return False
except Exception:
    return True
