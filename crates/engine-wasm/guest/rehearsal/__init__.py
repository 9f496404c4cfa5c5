"""rehearsal: 2 tools.

    from servers.rehearsal import find_items
"""
from servers import lazy

__getattr__, __dir__, __all__ = lazy(__name__, {
    name: names.split()[0] for names in """\
find_items findItems
get_item getItem
""".splitlines() for name in names.split()
})
