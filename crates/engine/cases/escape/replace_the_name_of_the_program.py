# expect: value "mine"
__name__ = None
__builtins__ = None
__file__ = "/etc/passwd"
"mine"
