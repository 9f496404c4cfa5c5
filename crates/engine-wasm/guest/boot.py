# Puts our package into the guest. Runs after warm.py in the guest's own
# namespace, which programs never see; `_SOURCES` has been written before it.
import builtins, gc, sys, types

# Our modules keep their own copy of the builtins, so that a program that deletes
# or replaces some of them breaks itself and not the protocol.
_builtins = dict(vars(builtins))
_tidegate = types.ModuleType("_tidegate")
_tidegate.__path__ = []
sys.modules["_tidegate"] = _tidegate
for _name, _source in _SOURCES:
    _module = types.ModuleType("_tidegate." + _name)
    _module.__dict__["__builtins__"] = _builtins
    sys.modules[_module.__name__] = _module
    exec(compile(_source, f"<tidegate {_name}>", "exec", dont_inherit=True), _module.__dict__)
    setattr(_tidegate, _name, _module)
for _name in [name for name in globals() if not name.startswith("__") and name != "_tidegate"]:
    del globals()[_name]
del _name
