# expect: value []
import fileinput
import linecache
import os
import pathlib
import shutil
import tokenize

import numpy as np
import pandas as pd

path = "/etc/passwd"
readers = {
    "os.open": lambda: os.open(path, os.O_RDONLY),
    "pathlib": lambda: pathlib.Path(path).read_bytes(),
    "linecache": lambda: linecache.getlines(path)[0],
    "tokenize": lambda: tokenize.open(path).read(),
    "fileinput": lambda: list(fileinput.input(path)),
    "shutil": lambda: shutil.copy(path, "copy"),
    "numpy": lambda: np.fromfile(path, dtype="u1"),
    "memmap": lambda: np.memmap(path, mode="r"),
    "pandas": lambda: pd.read_csv(path),
    "url": lambda: pd.read_csv("file://" + path),
    "stat": lambda: os.stat(path),
}
escaped = []
for name, read in readers.items():
    try:
        read()
        escaped.append(name)
    except Exception:
        pass
escaped
