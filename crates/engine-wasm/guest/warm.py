# Runs once, when the base image is made. What is imported and used here is
# there, and warm, in every session that starts from the image.
import abc, array, ast, asyncio, base64, binascii, bisect, builtins, calendar, collections, collections.abc
import contextlib, contextvars, copy, csv, dataclasses, datetime, decimal, difflib, enum, fractions, functools
import gc, glob, gzip, hashlib, heapq, hmac, html, inspect, io, itertools, json, keyword, linecache, logging, math
import numbers, operator, os, pathlib, pickle, pprint, random, re, secrets, shutil, sqlite3, statistics, string
import struct, sys, tempfile, textwrap, time, tokenize, traceback, types, typing, unicodedata, urllib.parse, uuid
import warnings, weakref, xml.etree.ElementTree, zipfile, zlib, zoneinfo
import numpy, pandas

os.chdir("/workspace")
sys.path += ["/packages", "/workspace"]
sys.argv = [""]
sys.dont_write_bytecode = True

_frame = pandas.DataFrame({"a": numpy.arange(10), "b": list("abcdefghij"), "c": numpy.linspace(0, 1, 10)})
_frame.groupby("b").a.sum()
_frame.groupby("b").agg({"a": "mean", "c": ["min", "max"]})
_frame.sort_values("c", ascending=False).head(3).to_dict(orient="records")
_frame.merge(_frame, on="b").describe()
_frame.to_json()
repr(_frame)
pandas.read_csv(io.StringIO(_frame.to_csv(index=False)))
pandas.to_datetime(["2026-01-01"]).strftime("%Y")
_frame.pivot_table(index="b", values="c", aggfunc="sum")
numpy.random.seed(0)
numpy.dot(numpy.eye(3), numpy.ones(3))
json.loads(json.dumps({"a": [1, 2.5, None, True, "x"]}))
re.findall(r"\w+", "a b c")
datetime.datetime.now().isoformat()
str(decimal.Decimal("1.10") + 1)
statistics.mean([1, 2, 3])
del _frame
