"""Reads bindings without compiling them.

Bindings are generated, so their form is known, and a program that imports a tool mostly
wants to call it: compiling its types and its docstring would cost more than the call. What
is read here is what a call needs; the rest is compiled when somebody asks for it, such as
`inspect.signature` or an import of a type. A module in any other form is compiled at once.
"""

import re
import types

from _tidegate import binding

_TOOL = re.compile(r'\n@tool\("([^"\\\n]*)", "([^"\\\n]*)"\)\nasync def ([^\W\d]\w*)\((?:\n(.*?),\n)?\) -> [^\n]*:\n    """', re.S)
_PARAMETER = re.compile(r"    ([^\W\d]\w*): [^\n]*?(?: = (None|UNSET))?|    \*|    \*\*([^\W\d]\w*): [^\n]*")
_END = '"""\n    ...\n'
_NAMES = re.compile(r'"""(.*?)"""\nfrom servers import lazy\n\n__getattr__, .*? in """\\\n(.*?)""".splitlines\(\) for name in names.split\(\)\n}\)\n', re.S)
_DEFAULTS = {"None": None, "UNSET": binding.UNSET}
_TAKES_EXTRA = 0x08


async def _form():
    ...


_form = _form.__code__


def server(text):
    """`(docstring, names)` of a server's package, `names` leading to modules; None in another form."""
    found = _NAMES.fullmatch(text)
    if found is None:
        return None
    doc, lines = found.groups()
    names = {}
    for line in lines.splitlines():
        several = line.split()
        for name in several:
            names[name] = several[0]
    return _unescaped(doc), names


def tool(text, path, module, whole):
    """The function of a tool's module; None in another form.

    `whole()` gives the function as the compiled module has it.
    """
    found = _TOOL.search(text)
    if found is None:
        return None
    server, name, function, listed = found.groups()
    end = text.find(_END, found.end())
    if end < 0:
        return None
    names, defaults, positional, extra = [], {}, 0, None
    starred = False
    for line in listed.split(",\n") if listed else ():
        one = _PARAMETER.fullmatch(line)
        if one is None or extra:
            return None
        parameter, default, extra = one.groups()
        if parameter is None:
            starred = True
            continue
        names.append(parameter)
        if default is not None:
            defaults[parameter] = _DEFAULTS[default]
        if not starred:
            positional += 1
    if not defaults.keys().isdisjoint(names[:positional]):
        return None
    keywords = len(names) - positional
    if extra:
        names.append(extra)
    code = _form.replace(
        co_argcount=positional,
        co_kwonlyargcount=keywords,
        co_nlocals=len(names),
        co_varnames=tuple(names),
        co_flags=_form.co_flags | (_TAKES_EXTRA if extra else 0),
        co_name=function,
        co_qualname=function,
        co_filename=path,
        co_firstlineno=text.count("\n", 0, found.start()) + 2,
    )
    made = types.FunctionType(code, {"__name__": module})
    made.__kwdefaults__ = defaults or None
    made.__doc__ = _unescaped(text[found.end() : end])
    # Programs that look at annotations are few, so these may be compiled for.
    made.__annotate__ = lambda format: whole().__annotate__(format)
    return binding.tool(server, name)(made)


def _unescaped(doc):
    """A docstring as the compiler would give it."""
    if "\\" in doc:
        doc = doc.replace("\\\\", "\0").replace('\\"', '"').replace("\0", "\\")
    return doc.replace("\n    ", "\n")
