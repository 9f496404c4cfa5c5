# expect: raised ImportError
import importlib.machinery
import importlib.util

open("native.so", "wb").write(b"\x7fELF" + bytes(100))
loader = importlib.machinery.ExtensionFileLoader("native", "/workspace/native.so")
loader.create_module(importlib.util.spec_from_loader("native", loader))
