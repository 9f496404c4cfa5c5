# expect: raised ValueError: first
first, second = ValueError("first"), ValueError("second")
first.__cause__, second.__cause__ = second, first
first.__context__ = first
raise first
