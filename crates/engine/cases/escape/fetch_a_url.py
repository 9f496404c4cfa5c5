# expect: value true
try:
    import urllib.request

    urllib.request.urlopen("http://127.0.0.1:8080/", timeout=1).read()
    return False
except Exception:
    return True
