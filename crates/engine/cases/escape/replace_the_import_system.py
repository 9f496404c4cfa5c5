# expect: value 42
import builtins
import sys

builtins.__import__ = lambda *args, **kwargs: None
sys.meta_path.clear()
sys.path_hooks.clear()
sys.path[:] = []
6 * 7
